/// \file
/// Errors are values: `Result<T>` holds a T or an `Error` that says what happened, to whom, after
/// how long, and what to do next. For those who prefer exceptions, `value()` throws `Failed`.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <muster/export.hpp>

namespace muster {

/// What kind of failure. The numbers are on the wire and in the C API: never reused, never changed.
enum class Code : std::int16_t {
  invalid_argument = 1,    ///< the call or a setting is wrong; nothing was sent
  invalid_state = 2,       ///< the call does not fit now (left already, group broken, ...)
  busy = 3,                ///< a collective is in flight on this group handle
  refused = 4,             ///< the server does not admit this peer
  timeout = 5,             ///< the deadline came
  not_found = 6,           ///< no such key
  limit = 7,               ///< over a fixed limit; the text names it
  quota = 8,               ///< the table is full
  protocol = 9,            ///< the peer sent what the protocol does not allow
  unreachable = 10,        ///< no connection could be made
  server_lost = 11,        ///< the link to the server broke
  rank_missing = 12,       ///< ranks did not come in time; `Error::ranks` names them
  rank_lost = 13,          ///< a rank's process or host is gone
  rank_left = 14,          ///< a rank left while others still needed it
  rank_failed = 15,        ///< a rank said that it failed
  mismatch = 16,           ///< ranks called different things
  contract_mismatch = 17,  ///< ranks hold different contracts
  system = 18,             ///< the operating system refused something
  unsupported = 19,        ///< this kind of store or group cannot do that
};

/// The code's name, as it is written above; "unknown" for a number that is none.
MUSTER_API const char* name(Code code);

/// Where on its way an operation was.
enum class Phase : std::uint8_t { local, resolve, connect, tls, hello, muster, operation, leave };
MUSTER_API const char* name(Phase phase);

/// Stands in `RankName::rank` where the rank is not known.
inline constexpr std::uint32_t no_rank = 0xffffffffU;

/// Value. A rank as people look for it: `rank 3 (host node7, pid 4711): detail`. Host and pid are
/// empty and 0 when nobody knows them, as for a rank that never came.
struct RankName {
  std::uint32_t rank = no_rank;
  std::string host;
  std::uint32_t pid = 0;
  std::string detail;

  MUSTER_API std::string text() const;
  bool operator==(const RankName&) const = default;
};

/// Value. Holds no secret and no control character, whatever a peer sent.
struct Error {
  Code code = Code::system;
  Phase phase = Phase::local;
  std::string what;             ///< what happened, with the given and the expected
  std::string advice;           ///< what to do next; may be empty
  std::string local;            ///< own address, where one was involved
  std::string remote;           ///< the peer's address, where one was involved
  std::vector<RankName> ranks;  ///< who is missing, lost, or in the way
  std::chrono::steady_clock::duration elapsed{};  ///< from the call until the error
  int exit_code = 1;  ///< what a process that ends over this should exit with

  /// Everything above in one line of prose. Never fails, never empty.
  MUSTER_API std::string text() const;
};

/// What `Result::value()` throws.
class MUSTER_API Failed : public std::exception {
 public:
  explicit Failed(Error error);
  const Error& error() const noexcept { return error_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Error error_;
  std::string text_;
};

/// Value. A T or an Error. Asking a failed one for its value throws Failed; asking a good one for
/// its error throws std::bad_variant_access.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

  T& value() & { return check(), *std::get_if<0>(&state_); }
  const T& value() const& { return check(), *std::get_if<0>(&state_); }
  T&& value() && { return check(), std::move(*std::get_if<0>(&state_)); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void check() const {
    if (!ok()) throw Failed(std::get<1>(state_));
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }
  void value() const {
    if (!ok()) throw Failed(error());
  }

 private:
  std::variant<std::monostate, Error> state_;
};

}  // namespace muster
