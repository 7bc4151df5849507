#include <muster/job.hpp>
#include <muster/store.hpp>

#include "c/arguments.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"
#include "c/memory.hpp"

using muster::Bytes;
using muster::Deadline;
using muster::Result;
using muster::Store;
using muster::Value;
using muster::c::Arguments;
using muster::c::deliver;
using muster::c::guarded;
using muster::c::to_buffer;

namespace {

/// `body(store, key, deadline, arguments)`: what it needs beside it asks `arguments` for.
template <class Body>
muster_status with_key(muster_store* store, muster_bytes key, double timeout, Body body) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const std::string_view name = given.need(store, "store").key(key);
    const Deadline deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    return body(*store->store, name, deadline, given);
  });
}

/// The same with a value to be stored.
template <class Body>
muster_status with_value(muster_store* store, muster_bytes key, muster_bytes value, double timeout,
                         Body body) {
  return with_key(
      store, key, timeout,
      [&](Store& on, std::string_view name, Deadline deadline, Arguments& given) -> Result<void> {
        const Bytes bytes = given.bytes(value, "value");
        if (!given.good()) return given.problem();
        return body(on, name, bytes, deadline);
      });
}

}  // namespace

muster_status muster_store_connect(const char* url, double timeout, muster_store** store) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const Deadline deadline = given.need(url, "url").need(store, "store").deadline(timeout);
    if (!given.good()) return given.problem();
    const auto credentials = muster::Credentials::from_environment();
    if (!credentials) return credentials.error();
    return deliver(
        muster::connect_store(url, deadline, *credentials), [&](std::unique_ptr<Store> reached) {
          auto handle = std::make_unique<muster_store>(muster_store{.store = reached.get()});
          handle->owned = std::move(reached);
          *store = handle.release();
        });
  });
}

void muster_store_free(muster_store* store) {
  if (store == nullptr || !store->owned) return;
  const std::unique_ptr<muster_store> freed(store);
}

muster_status muster_store_set(muster_store* store, muster_bytes key, muster_bytes value,
                               double timeout) {
  return with_value(store, key, value, timeout,
                    [](Store& on, std::string_view name, Bytes bytes, Deadline deadline) {
                      return on.set(name, bytes, deadline);
                    });
}

muster_status muster_store_set_owned(muster_store* store, muster_bytes key, muster_bytes value,
                                     double timeout) {
  return with_value(store, key, value, timeout,
                    [](Store& on, std::string_view name, Bytes bytes, Deadline deadline) {
                      return on.set_owned(name, bytes, deadline);
                    });
}

muster_status muster_store_get(muster_store* store, muster_bytes key, double timeout,
                               muster_buffer* value) {
  return with_key(
      store, key, timeout,
      [&](Store& on, std::string_view name, Deadline deadline, Arguments& given) -> Result<void> {
        if (!given.need(value, "value").good()) return given.problem();
        return deliver(on.get(name, deadline), [&](const Value& got) { *value = to_buffer(got); });
      });
}

muster_status muster_store_wait_get(muster_store* store, muster_bytes key, double timeout,
                                    muster_buffer* value) {
  return with_key(
      store, key, timeout,
      [&](Store& on, std::string_view name, Deadline deadline, Arguments& given) -> Result<void> {
        if (!given.need(value, "value").good()) return given.problem();
        return deliver(on.wait_get(name, deadline),
                       [&](const Value& got) { *value = to_buffer(got); });
      });
}

muster_status muster_store_add(muster_store* store, muster_bytes key, int64_t delta, double timeout,
                               int64_t* sum) {
  return with_key(store, key, timeout,
                  [&](Store& on, std::string_view name, Deadline deadline, Arguments&) {
                    return deliver(on.add(name, delta, deadline), [&](std::int64_t got) {
                      if (sum != nullptr) *sum = got;
                    });
                  });
}

muster_status muster_store_append(muster_store* store, muster_bytes key, muster_bytes value,
                                  double timeout, uint64_t* length) {
  return with_value(store, key, value, timeout,
                    [&](Store& on, std::string_view name, Bytes bytes, Deadline deadline) {
                      return deliver(on.append(name, bytes, deadline), [&](std::uint64_t got) {
                        if (length != nullptr) *length = got;
                      });
                    });
}

muster_status muster_store_compare_set(muster_store* store, muster_bytes key,
                                       const muster_bytes* expected, muster_bytes desired,
                                       double timeout, int* swapped, muster_buffer* before) {
  return with_key(
      store, key, timeout,
      [&](Store& on, std::string_view name, Deadline deadline, Arguments& given) -> Result<void> {
        std::optional<Bytes> old;
        if (expected != nullptr) old = given.bytes(*expected, "expected");
        const Bytes wanted = given.need(swapped, "swapped").bytes(desired, "desired");
        if (!given.good()) return given.problem();
        const auto swap = on.compare_set(name, old, wanted, deadline);
        if (!swap) return swap.error();
        const muster_buffer none{nullptr, 0};
        if (before != nullptr) *before = swap->before ? to_buffer(*swap->before) : none;
        *swapped = swap->swapped ? 1 : 0;
        return {};
      });
}

muster_status muster_store_remove(muster_store* store, muster_bytes key, double timeout,
                                  int* was_there) {
  return with_key(store, key, timeout,
                  [&](Store& on, std::string_view name, Deadline deadline, Arguments&) {
                    return deliver(on.remove(name, deadline), [&](bool got) {
                      if (was_there != nullptr) *was_there = got ? 1 : 0;
                    });
                  });
}
