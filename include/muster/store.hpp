/// \file
/// The key-value service of one job, as a client sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/export.hpp>
#include <muster/result.hpp>

namespace muster {

/// Value. A key and what is to be stored under it, both borrowed.
struct KeyValue {
  std::string_view key;
  Bytes value;
};

/// Value. What a compare_set found.
struct Swap {
  bool swapped = false;
  std::optional<Value> before;  ///< the value before the call; none: the key was absent
};

/// Value. Some of the keys of a prefix, in the order of their bytes.
struct KeyPage {
  std::vector<std::string> keys;
  bool more = false;  ///< ask again, after the last of `keys`
};

/// Value. A key has another value now, or none any more.
struct Change {
  std::string key;
  std::optional<Value> value;  ///< none: removed
};

/// Names a watch of one store.
using WatchId = std::uint32_t;

/// Resource. A store: keys to bytes. Any number of threads may use one; none waits for another's
/// call.
///
/// Keys are 1 to 1,024 bytes of any kind, values 0 to 64 MiB. A call that takes several keys takes
/// up to 1,024, together with their values 8 KiB less than 64 MiB. Beyond that the call is `limit`,
/// and the store stays usable. A call that would grow the table over its quota is `quota` and
/// changes nothing. A default deadline is the job's operation time-out. When the link to the server
/// breaks, every call ends at once with `server_lost`; when the job fails, with the reason. On
/// `timeout` and `server_lost` it is not known whether a change was made. What a kind of store
/// cannot do is `unsupported`, at once: see the functions that make stores.
class MUSTER_API Store {
 public:
  /// What a watch calls. It may use the store, and must not throw: that ends the process.
  using OnChange = std::function<void(const Change&)>;

  virtual ~Store() = default;

  /// Stores `value` under `key`, replacing what was there, and wakes who waits for the key.
  virtual Result<void> set(std::string_view key, Bytes value, Deadline deadline = {}) = 0;

  /// The same, and the key is this rank's from now on: it is removed when the rank leaves, fails or
  /// is lost, and who waits for it then ends at once with `rank_left`, `rank_failed` or
  /// `rank_lost`, until somebody sets the key anew. Any other change of the key ends the ownership.
  /// `invalid_state` for who is no rank.
  virtual Result<void> set_owned(std::string_view key, Bytes value, Deadline deadline = {}) = 0;

  /// The value now; `not_found` at once if there is none.
  virtual Result<Value> get(std::string_view key, Deadline deadline = {}) = 0;

  /// The value, as soon as there is one; `timeout` says the key, how long, and who has joined.
  virtual Result<Value> wait_get(std::string_view key, Deadline deadline = {}) = 0;

  /// Returns when all of `keys` are there, at one moment; `timeout` names those that are not.
  virtual Result<void> wait(std::span<const std::string_view> keys, Deadline deadline = {}) = 0;

  /// Adds `delta` to the decimal integer under `key` (absent: 0) and returns the sum. A value that
  /// is no integer is `invalid_argument`, a sum beyond 64 bits `limit`; both leave the value as it
  /// was.
  virtual Result<std::int64_t> add(std::string_view key, std::int64_t delta,
                                   Deadline deadline = {}) = 0;

  /// Puts `value` behind what is under `key` (absent: nothing) and returns the new length in bytes.
  /// `limit` if that is beyond a value's limit; the value is then as it was.
  virtual Result<std::uint64_t> append(std::string_view key, Bytes value,
                                       Deadline deadline = {}) = 0;

  /// Stores `desired` if the value is `expected`; no `expected` means that the key must be absent,
  /// which an empty value is not. Says whether it swapped, and the value before.
  virtual Result<Swap> compare_set(std::string_view key, std::optional<Bytes> expected,
                                   Bytes desired, Deadline deadline = {}) = 0;

  /// Removes the key; says whether it was there.
  virtual Result<bool> remove(std::string_view key, Deadline deadline = {}) = 0;

  /// The values now, at one moment, in the order of `keys`; none where a key is absent.
  virtual Result<std::vector<std::optional<Value>>> multi_get(
      std::span<const std::string_view> keys, Deadline deadline = {}) = 0;

  /// Stores all of them, or none. If a key comes twice, its last value stays.
  virtual Result<void> multi_set(std::span<const KeyValue> entries, Deadline deadline = {}) = 0;

  /// The keys that begin with `prefix` (empty: all) and sort behind `after`, at most `keys_max` of
  /// them and at most 4,096 a page. Pages are separate moments.
  virtual Result<KeyPage> list(std::string_view prefix, std::string_view after = {},
                               std::size_t keys_max = 4096, Deadline deadline = {}) = 0;

  /// Calls `on_change` for every change of a key that begins with `prefix` (empty: all), from this
  /// call's return until unwatch: each change once, in order, one at a time for one store, from
  /// whichever thread reads the link. A handler that lags behind by more than 128 MiB ends the
  /// link. To know the state as well, list after watch has returned.
  virtual Result<WatchId> watch(std::string_view prefix, OnChange on_change,
                                Deadline deadline = {}) = 0;

  /// Ends a watch. When it returns, its handler runs no more, unless it is called from the handler
  /// itself. `not_found` for a watch that there is not.
  virtual Result<void> unwatch(WatchId watch, Deadline deadline = {}) = 0;
};

/// A view of `store` in which every key stands behind `prefix` and a '/': so "a" with "bc" and "ab"
/// with "c" are different keys. Keys that go in and come out (list, changes) are without the
/// prefix; errors name the whole key. `store` outlives the view; prefix and '/' count in a key's
/// limit.
MUSTER_API std::unique_ptr<Store> make_prefix_view(Store& store, std::string prefix);

/// A table in this process, without any server: for one process, for tests. set_owned is
/// `unsupported`. Handlers of watches run in a thread that changes the store, after its change: its
/// own changes are told when it returns, unless another thread is just telling. What waits for a
/// slow handler has no bound here.
MUSTER_API std::unique_ptr<Store> make_table_store(std::size_t quota_bytes = std::size_t{1} << 30);

}  // namespace muster
