#include "net/tls_hello.hpp"

#include <algorithm>
#include <array>

#include "base/limits.hpp"

namespace muster::net {
namespace {

constexpr std::size_t record_head_bytes = 5;   // type, version, length
constexpr std::size_t message_head_bytes = 4;  // type, length
constexpr std::byte client_hello{1};

std::size_t at(Bytes bytes, std::size_t place) {
  return std::to_integer<std::size_t>(bytes[place]);
}

}  // namespace

TlsHello scan_tls_hello(Bytes bytes) {
  std::array<std::byte, message_head_bytes> head{};
  std::size_t have = 0;  // of the message, in the records so far
  std::size_t whole = message_head_bytes;
  while (have < whole) {
    if (!bytes.empty() && bytes[0] != tls_first_byte) return TlsHello::broken;
    if (bytes.size() > 1 && bytes[1] != std::byte{3}) return TlsHello::broken;
    if (bytes.size() < record_head_bytes) return TlsHello::more;
    const std::size_t length = at(bytes, 3) << 8U | at(bytes, 4);
    if (length == 0 || have + length > limits::tls_hello_bytes_max) return TlsHello::broken;
    const Bytes body = bytes.subspan(record_head_bytes);
    const Bytes came = body.first(std::min(length, body.size()));
    for (std::size_t i = 0; i < came.size() && have + i < head.size(); ++i)
      head[have + i] = came[i];
    if (have + came.size() > 0 && head[0] != client_hello) return TlsHello::broken;
    if (have + came.size() >= head.size()) {
      whole = head.size() + (at(head, 1) << 16U | at(head, 2) << 8U | at(head, 3));
      if (whole > limits::tls_hello_bytes_max) return TlsHello::broken;
    }
    if (came.size() < length) return TlsHello::more;
    have += length;
    bytes = body.subspan(length);
  }
  return TlsHello::complete;
}

}  // namespace muster::net
