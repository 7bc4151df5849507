#include "common/group_plugin.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::plugins {
namespace {

/// Value. What a group's handle points to.
struct OpenGroup {
  Member* member = nullptr;
  Group* group = nullptr;
  std::unique_ptr<Group> owned;  ///< of a subset
  std::uint64_t rounds = 0;
};

/// Value. What a session's handle points to.
struct OpenSession {
  std::unique_ptr<Member> member;
  OpenGroup world;
};

void copy(std::string_view text, char* room, std::size_t room_bytes) {
  if (room_bytes == 0) return;
  const std::size_t length = std::min(text.size(), room_bytes - 1);
  std::memcpy(room, text.data(), length);
  room[length] = '\0';
}

TimePoint to_time(std::uint64_t ns) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return TimePoint{std::chrono::nanoseconds{static_cast<std::int64_t>(std::min(ns, most))}};
}

Bytes to_bytes(const muster_plugin_bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data), bytes.length};
}

/// Runs `body`, which returns a Result: nothing is thrown into C.
template <class Body>
int guarded(muster_plugin_error* error, Body&& body) {
  try {
    const Result<void> done = body();
    return done ? 0 : report(done.error(), error);
  } catch (const std::exception& thrown) {
    return report(Error{.code = Code::system, .what = thrown.what()}, error);
  }
}

/// One round, by the member's way to run it.
Result<Parts> round(OpenGroup& group, const Call& call, std::uint64_t deadline_ns) {
  Result<Parts> parts = Parts{};
  group.member->run([&] { parts = group.group->arrive(call, Deadline::at(to_time(deadline_ns))); });
  ++group.rounds;
  return parts;
}

Result<void> in_step(const OpenGroup& group, std::uint64_t sequence) {
  if (sequence == group.rounds + 1) return {};
  return Error{.code = Code::protocol,
               .what = "the host counts round " + std::to_string(sequence) + ", expected round " +
                       std::to_string(group.rounds + 1),
               .advice = "make all rounds of a group by one handle"};
}

int exchange(void* handle, const muster_plugin_call* asked, const muster_plugin_sink* sink,
             muster_plugin_error* error) {
  return guarded(error, [&]() -> Result<void> {
    auto& group = *static_cast<OpenGroup*>(handle);
    if (auto good = in_step(group, asked->sequence); !good) return good;
    const std::span payloads(asked->payloads, asked->payload_count);
    std::vector<Bytes> views;
    for (const muster_plugin_bytes& payload : payloads) views.push_back(to_bytes(payload));
    Call call{.kind = static_cast<Kind>(asked->kind),
              .label = as_text(to_bytes(asked->label)),
              .root = asked->root};
    std::ranges::transform(asked->token, call.token.begin(),
                           [](unsigned char byte) { return std::byte{byte}; });
    if (call.kind == Kind::scatter || call.kind == Kind::alltoall) {
      call.payloads = views;
    } else if (!views.empty()) {
      call.payload = views.front();
    }
    const Result<Parts> parts = round(group, call, asked->deadline_ns);
    if (!parts) return parts.error();
    if (parts->empty()) return {};
    std::vector<muster_plugin_bytes> given;
    for (const Bytes part : *parts) given.push_back({part.data(), part.size()});
    sink->parts(sink->context, given.data(), static_cast<std::uint32_t>(given.size()));
    return {};
  });
}

int barrier(void* handle, std::uint64_t deadline_ns, muster_plugin_error* error) {
  return guarded(error, [&]() -> Result<void> {
    auto done = round(*static_cast<OpenGroup*>(handle), {.kind = Kind::barrier}, deadline_ns);
    if (!done) return std::move(done).error();
    return {};
  });
}

int allgather(void* handle, const void* mine, std::size_t bytes, void* all,
              std::uint64_t deadline_ns, muster_plugin_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const Call call{.kind = Kind::allgather, .payload = to_bytes({mine, bytes})};
    const auto parts = round(*static_cast<OpenGroup*>(handle), call, deadline_ns);
    if (!parts) return parts.error();
    auto* out = static_cast<std::byte*>(all);
    for (const Bytes part : *parts) out = std::ranges::copy(part, out).out;
    return {};
  });
}

int alltoall(void* handle, const void* each, std::size_t bytes, void* all,
             std::uint64_t deadline_ns, muster_plugin_error* error) {
  return guarded(error, [&]() -> Result<void> {
    auto& group = *static_cast<OpenGroup*>(handle);
    const Bytes mine = to_bytes({each, bytes * group.group->size()});
    std::vector<Bytes> payloads;
    for (std::uint32_t to = 0; to < group.group->size(); ++to) {
      payloads.push_back(mine.subspan(to * bytes, bytes));
    }
    const auto parts = round(group, {.kind = Kind::alltoall, .payloads = payloads}, deadline_ns);
    if (!parts) return parts.error();
    auto* out = static_cast<std::byte*>(all);
    for (const Bytes part : *parts) out = std::ranges::copy(part, out).out;
    return {};
  });
}

int open_group(void* parent, const std::uint32_t* members, std::uint32_t count,
               std::uint64_t deadline_ns, void** handle, muster_plugin_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const auto& from = *static_cast<OpenGroup*>(parent);
    Result<std::unique_ptr<Group>> made = std::unique_ptr<Group>{};
    from.member->run([&] {
      made = from.group->subset({members, count}, Deadline::at(to_time(deadline_ns)));
    });
    if (!made) return std::move(made).error();
    Group* group = made->get();
    *handle =
        std::make_unique<OpenGroup>(OpenGroup{from.member, group, *std::move(made)}).release();
    return {};
  });
}

void close_group(void* handle) {
  const std::unique_ptr<OpenGroup> group(static_cast<OpenGroup*>(handle));
  group->member->run([&] { group->owned.reset(); });
}

int fail(void* handle, const char* reason, std::int32_t exit_code, muster_plugin_error* error) {
  return guarded(error, [&] {
    Member& member = *static_cast<OpenSession*>(handle)->member;
    Result<void> done;
    member.run([&] { done = member.fail(reason, exit_code); });
    return done;
  });
}

int finalize(void* handle, std::uint64_t deadline_ns, muster_plugin_error* error) {
  return guarded(error, [&] {
    const std::unique_ptr<OpenSession> session(static_cast<OpenSession*>(handle));
    return session->member->leave(to_time(deadline_ns));
  });
}

}  // namespace

muster_plugin group_plugin(const char* name, std::uint64_t capabilities) {
  return {.version = MUSTER_PLUGIN_VERSION,
          .size = sizeof(muster_plugin),
          .name = name,
          .capabilities = capabilities,
          .get_unique_id = nullptr,
          .init = nullptr,
          .finalize = finalize,
          .exchange = exchange,
          .barrier = barrier,
          .allgather = allgather,
          .alltoall = alltoall,
          .open_group = open_group,
          .close_group = close_group,
          .fail = fail};
}

int begin(const muster_plugin_start* start, muster_plugin_world* world, muster_plugin_error* error,
          Join join) {
  return guarded(error, [&]() -> Result<void> {
    auto member = join({.argument = start->argument,
                        .unique_id = to_bytes(start->unique_id),
                        .rank = start->rank,
                        .ranks = start->ranks,
                        .deadline = to_time(start->deadline_ns)});
    if (!member) return std::move(member).error();
    auto session = std::make_unique<OpenSession>();
    session->member = *std::move(member);
    Group& group = session->member->world();
    session->world = {session->member.get(), &group, nullptr};
    world->rank = group.rank();
    world->ranks = group.size();
    world->incarnation = group.identity().incarnation.number;
    world->capabilities = session->member->capabilities();
    world->group = &session->world;
    world->session = session.release();
    return {};
  });
}

int report(const Error& why, muster_plugin_error* error) {
  copy(why.what, error->what, error->what_bytes);
  copy(why.advice, error->advice, error->advice_bytes);
  error->exit_code = why.exit_code;
  for (const RankName& name : why.ranks) {
    if (error->rank_count == error->ranks_max) break;
    muster_plugin_rank& rank = error->ranks[error->rank_count++];
    rank.rank = name.rank;
    rank.pid = name.pid;
    copy(name.host, rank.host, sizeof(rank.host));
    copy(name.detail, rank.detail, sizeof(rank.detail));
  }
  return static_cast<int>(why.code);
}

}  // namespace muster::plugins
