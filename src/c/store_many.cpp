// The store's calls for several keys, and for changes of them.

#include <muster/store.hpp>

#include "c/arguments.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"
#include "c/memory.hpp"

using muster::Bytes;
using muster::Deadline;
using muster::Parts;
using muster::Result;
using muster::Value;
using muster::c::Arguments;
using muster::c::deliver;
using muster::c::guarded;

muster_status muster_store_wait(muster_store* store, const muster_bytes* keys, size_t count,
                                double timeout) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const auto names = given.need(store, "store").keys(keys, count);
    const Deadline deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    return store->store->wait(names, deadline);
  });
}

muster_status muster_store_multi_get(muster_store* store, const muster_bytes* keys, size_t count,
                                     double timeout, muster_parts** values) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const auto names = given.need(store, "store").need(values, "values").keys(keys, count);
    const Deadline deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    auto found = store->store->multi_get(names, deadline);
    return deliver(std::move(found), [&](const std::vector<std::optional<Value>>& got) {
      std::vector<Bytes> parts;
      std::vector<bool> absent;
      for (const auto& value : got) {
        parts.push_back(value ? Bytes(*value) : Bytes());
        absent.push_back(!value);
      }
      *values = std::make_unique<muster_parts>(muster_parts{Parts(parts), absent}).release();
    });
  });
}

muster_status muster_store_multi_set(muster_store* store, const muster_bytes* keys,
                                     const muster_bytes* values, size_t count, double timeout) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const auto names = given.need(store, "store").keys(keys, count);
    const auto contents = given.all_bytes(values, count, "values");
    const Deadline deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    std::vector<muster::KeyValue> entries;
    for (std::size_t i = 0; i < count; ++i) entries.push_back({names[i], contents[i]});
    return store->store->multi_set(entries, deadline);
  });
}

muster_status muster_store_list(muster_store* store, muster_bytes prefix, muster_bytes after,
                                size_t keys_max, double timeout, muster_parts** keys, int* more) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(store, "store").need(keys, "keys").need(more, "more");
    const std::string_view begins = given.key(prefix, "prefix");
    const std::string_view behind = given.key(after, "after");
    const Deadline deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    const std::size_t most = keys_max == 0 ? 4096 : keys_max;
    auto page = store->store->list(begins, behind, most, deadline);
    return deliver(std::move(page), [&](const muster::KeyPage& got) {
      std::vector<Bytes> parts;
      for (const std::string& key : got.keys) parts.push_back(muster::as_bytes(key));
      *keys = muster::c::to_parts(Parts(parts));
      *more = got.more ? 1 : 0;
    });
  });
}

muster_status muster_store_watch(muster_store* store, muster_bytes prefix,
                                 void (*handler)(void* context, muster_bytes key,
                                                 muster_bytes value),
                                 void* context, double timeout, uint32_t* watch) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(store, "store").need(watch, "watch");
    given.need(reinterpret_cast<const void*>(handler), "handler");
    const std::string_view begins = given.key(prefix, "prefix");
    const Deadline deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    const auto on_change = [handler, context](const muster::Change& change) {
      const muster_bytes removed{nullptr, 0};
      handler(context, muster::c::to_bytes(muster::as_bytes(change.key)),
              change.value ? muster::c::to_bytes(*change.value) : removed);
    };
    return deliver(store->store->watch(begins, on_change, deadline),
                   [&](muster::WatchId id) { *watch = id; });
  });
}

muster_status muster_store_unwatch(muster_store* store, uint32_t watch, double timeout) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const Deadline deadline = given.need(store, "store").deadline(timeout);
    if (!given.good()) return given.problem();
    return store->store->unwatch(watch, deadline);
  });
}
