/// \file
/// The key-value service of one job, as a client sees it.
#pragma once

#include <cstdint>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/export.hpp>
#include <muster/result.hpp>

namespace muster {

/// Resource. A store: keys to bytes. Any number of threads may use one; none waits for another's
/// call.
///
/// Keys are 1 to 1,024 bytes of any kind, values 0 to 64 MiB; beyond that the call is `limit`, sent
/// nothing, and the store stays usable. A default deadline is the job's operation time-out. When
/// the link to the server breaks, every call ends at once with `server_lost`; when the job fails,
/// with the reason.
class MUSTER_API Store {
 public:
  virtual ~Store() = default;

  /// Stores `value` under `key`, replacing what was there, and wakes who waits for the key. On
  /// `timeout` and `server_lost` it is not known whether the value was stored.
  virtual Result<void> set(std::string_view key, Bytes value, Deadline deadline = {}) = 0;

  /// The value now; `not_found` at once if there is none.
  virtual Result<Value> get(std::string_view key, Deadline deadline = {}) = 0;

  /// The value, as soon as there is one; `timeout` says the key, how long, and who has joined.
  virtual Result<Value> wait_get(std::string_view key, Deadline deadline = {}) = 0;

  /// Adds `delta` to the decimal integer under `key` (absent: 0) and returns the sum. A value that
  /// is no integer is `invalid_argument`, a sum beyond 64 bits `limit`; both leave the value as it
  /// was.
  virtual Result<std::int64_t> add(std::string_view key, std::int64_t delta,
                                   Deadline deadline = {}) = 0;

  /// Removes the key; says whether it was there.
  virtual Result<bool> remove(std::string_view key, Deadline deadline = {}) = 0;
};

}  // namespace muster
