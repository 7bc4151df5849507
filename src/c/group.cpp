#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include <muster/group.hpp>

#include "base/limits.hpp"
#include "c/arguments.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"
#include "c/memory.hpp"

using muster::Bytes;
using muster::Deadline;
using muster::Group;
using muster::Parts;
using muster::Result;
using muster::Value;
using muster::c::Arguments;
using muster::c::deliver;
using muster::c::guarded;
using muster::c::text;

namespace {

Result<void> put(Result<Value> value, muster_buffer* out) {
  return deliver(std::move(value), [&](const Value& got) { *out = muster::c::to_buffer(got); });
}

Result<void> put(Result<Parts> parts, muster_parts** out) {
  return deliver(std::move(parts), [&](Parts got) { *out = muster::c::to_parts(std::move(got)); });
}

/// Into room for parts of `bytes` each: what a server sends is not trusted to fit.
Result<void> copy_all(const Parts& parts, std::size_t bytes, void* all, const char* what) {
  auto* to = static_cast<std::byte*>(all);
  for (const Bytes part : parts) {
    if (part.size() != bytes) {
      return muster::Error{.code = muster::Code::protocol,
                           .phase = muster::Phase::operation,
                           .what = fmt::format("an {} of {} bytes a rank has a part of {}", what,
                                               bytes, part.size()),
                           .advice = "check that server and ranks run the same release"};
    }
  }
  for (const Bytes part : parts) to = std::copy(part.begin(), part.end(), to);
  return {};
}

/// `body(group, mine, deadline)`, for a call that takes a payload and gives `out` something.
template <class Body>
muster_status with_payload(muster_group* group, muster_bytes payload, double timeout,
                           const void* out, const char* out_name, Body body) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(group, "group").need(out, out_name);
    const Bytes mine = given.bytes(payload, "payload");
    const Deadline deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    return body(*group->group, mine, deadline);
  });
}

}  // namespace

uint32_t muster_group_rank(const muster_group* group) {
  return group != nullptr ? group->group->rank() : MUSTER_NO_RANK;
}
uint32_t muster_group_size(const muster_group* group) {
  return group != nullptr ? group->group->size() : 0;
}
uint32_t muster_group_rank_in_job(const muster_group* group, uint32_t rank) {
  return rank < muster_group_size(group) ? group->group->rank_in_job(rank) : MUSTER_NO_RANK;
}

muster_status muster_group_subset(muster_group* group, const uint32_t* members, size_t count,
                                  double timeout, muster_group** subset) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(group, "group").need(members, "members").need(subset, "subset");
    const auto deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    auto made = group->group->subset({members, count}, deadline);
    return deliver(std::move(made), [&](std::unique_ptr<muster::Group> whole) {
      auto handle = std::make_unique<muster_group>(muster_group{.group = whole.get()});
      handle->owned = std::move(whole);
      *subset = handle.release();
    });
  });
}

void muster_group_free(muster_group* group) {
  if (group == nullptr || !group->owned) return;
  const std::unique_ptr<muster_group> freed(group);
}

muster_status muster_barrier(muster_group* group, const char* label, double timeout) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const auto deadline = given.need(group, "group").deadline(timeout);
    if (!given.good()) return given.problem();
    return group->group->barrier(text(label), deadline);
  });
}

muster_status muster_broadcast(muster_group* group, muster_bytes payload, uint32_t root,
                               const char* label, double timeout, muster_buffer* value) {
  return with_payload(group, payload, timeout, value, "value",
                      [&](Group& in, Bytes mine, Deadline deadline) {
                        return put(in.broadcast(mine, root, text(label), deadline), value);
                      });
}

muster_status muster_gather(muster_group* group, muster_bytes payload, uint32_t root,
                            const char* label, double timeout, muster_parts** parts) {
  return with_payload(group, payload, timeout, parts, "parts",
                      [&](Group& in, Bytes mine, Deadline deadline) {
                        return put(in.gather(mine, root, text(label), deadline), parts);
                      });
}

muster_status muster_scatter(muster_group* group, const muster_bytes* payloads, size_t count,
                             uint32_t root, const char* label, double timeout,
                             muster_buffer* value) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(group, "group").need(value, "value");
    const auto all = given.all_bytes(payloads, count, "payloads");
    const auto deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    return put(group->group->scatter(all, root, text(label), deadline), value);
  });
}

muster_status muster_allgather(muster_group* group, const void* mine, size_t bytes, void* all,
                               const char* label, double timeout) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(group, "group");
    if (bytes > 0) given.need(all, "all");
    const Bytes payload = given.bytes({mine, bytes}, "mine");
    const auto deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    const auto parts = group->group->allgather(payload, text(label), deadline);
    if (!parts) return parts.error();
    return copy_all(*parts, bytes, all, "allgather");
  });
}

muster_status muster_allgatherv(muster_group* group, muster_bytes payload, const char* label,
                                double timeout, muster_parts** parts) {
  return with_payload(group, payload, timeout, parts, "parts",
                      [&](Group& in, Bytes mine, Deadline deadline) {
                        return put(in.allgatherv(mine, text(label), deadline), parts);
                      });
}

muster_status muster_alltoall(muster_group* group, const void* each, size_t bytes, void* all,
                              const char* label, double timeout) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(group, "group");
    if (bytes > 0) given.need(each, "each").need(all, "all");
    const auto deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    const std::uint32_t size = group->group->size();
    if (bytes > muster::limits::round_bytes_max / size) {  // nor may the product wrap
      return muster::Error{
          .code = muster::Code::limit,
          .what = fmt::format("the payloads of one alltoall are at most {} bytes together, this "
                              "one alone has {} for each of {} ranks",
                              muster::limits::round_bytes_max, bytes, size)};
    }
    std::vector<Bytes> payloads;
    for (std::uint32_t to = 0; to < size; ++to) {
      payloads.emplace_back(static_cast<const std::byte*>(each) + to * bytes, bytes);
    }
    const auto parts = group->group->alltoall(payloads, text(label), deadline);
    if (!parts) return parts.error();
    return copy_all(*parts, bytes, all, "alltoall");
  });
}

muster_status muster_exchange(muster_group* group, const char* phase, const void* token,
                              muster_bytes payload, double timeout, muster_parts** parts) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(group, "group").need(token, "token").need(parts, "parts");
    const Bytes mine = given.bytes(payload, "payload");
    const auto deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    muster::Digest bound_to;
    std::memcpy(bound_to.data(), token, bound_to.size());
    return put(group->group->exchange(text(phase), bound_to, mine, deadline), parts);
  });
}
