/// \file
/// Version 0, the reference's own protocol: hello, numbers and limits. docs/reference/version-0.md
/// has the bytes. A frame's header is shaped as in version 1 (frame.hpp), its type is always 0, its
/// result in an answer a Status, its body a packed body (v0_body.hpp) or a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <muster/bytes.hpp>

namespace muster::wire::v0 {

inline constexpr std::uint16_t standard_magic = 0x0ACC;
inline constexpr std::size_t hello_bytes = 16;
inline constexpr std::size_t hello_answer_bytes = 2;
inline constexpr std::uint16_t frame_type = 0;

/// How an answer says how it went.
enum class Status : std::int16_t {
  success = 0,
  error = -1,
  invalid_message = -400,
  invalid_key = -401,
  not_exist = -404,
  timeout = -601,
  io_error = -602,
};

/// Value. {u16 magic, i16 0, 4 bytes of no meaning, u64 rank}; written as zeros, ignored when read.
struct Hello {
  std::uint16_t magic = standard_magic;
  std::uint64_t rank = 0;  ///< for the server's log only
};

Value encode(const Hello& hello);
/// Of exactly `hello_bytes` bytes.
std::optional<Hello> decode_hello(Bytes bytes);

/// The magic that a hello begins with; `first` has at least its two bytes.
std::uint16_t magic_of(Bytes first);

/// {i16 result}. A server that does not admit a client closes without it.
Value hello_answer();
/// Of exactly `hello_answer_bytes` bytes: whether the client is admitted.
bool is_admission(Bytes bytes);

}  // namespace muster::wire::v0
