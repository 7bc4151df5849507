#include "net/tls_hello.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "net/tls.hpp"

namespace muster::net {
namespace {

using enum TlsHello;

Value real_hello() {
  const Secret secret = Secret::from_bytes(Value(32)).value();
  Tls client(TlsContext::make(TlsSide::client, secret, "demo").value());
  client.shake();
  return client.outgoing();
}

/// A ClientHello of so many bytes, behind the message's head, in records of `piece` bytes.
Value hello_of(std::size_t bytes, std::size_t piece) {
  std::string message = {1, 0, static_cast<char>(bytes >> 8U), static_cast<char>(bytes)};
  message += std::string(bytes, 'x');
  Value records;
  for (std::size_t i = 0; i < message.size(); i += piece) {
    const std::string part = message.substr(i, piece);
    const std::string head = {0x16, 3, 1, static_cast<char>(part.size() >> 8U),
                              static_cast<char>(part.size())};
    for (const std::string& each : {head, part}) {
      records.insert(records.end(), as_bytes(each).begin(), as_bytes(each).end());
    }
  }
  return records;
}

TEST(TlsHello, ARealOneIsFoundAtItsLastByte) {
  const Value hello = real_hello();
  ASSERT_LT(hello.size(), 600U);
  for (std::size_t i = 0; i < hello.size(); ++i)
    EXPECT_EQ(scan_tls_hello(Bytes(hello).first(i)), more);
  EXPECT_EQ(scan_tls_hello(hello), complete);
}

TEST(TlsHello, MayBeCutIntoRecords) {
  for (const std::size_t piece : {1, 2, 3, 4, 5, 100}) {
    const Value hello = hello_of(200, piece);
    EXPECT_EQ(scan_tls_hello(hello), complete) << piece;
    EXPECT_EQ(scan_tls_hello(Bytes(hello).first(hello.size() - 1)), more) << piece;
  }
}

TEST(TlsHello, HasALimit) {
  const std::size_t most = limits::tls_hello_bytes_max - 4;
  EXPECT_EQ(scan_tls_hello(hello_of(most, most + 4)), complete);
  EXPECT_EQ(scan_tls_hello(hello_of(most + 1, most + 5)), broken);
  EXPECT_EQ(scan_tls_hello(Bytes(hello_of(most + 1, 9)).first(14)), broken)
      << "it is known from the message's head";
}

TEST(TlsHello, OtherThingsAreBroken) {
  using std::literals::operator""sv;
  for (const std::string_view text :
       {"GET / HTTP/1.1"sv, "\x16\x02"sv, "\x17\x03\x03"sv, "\x16\x03\x01\0\0"sv,
        "\x16\x03\x01\0\x10\x02"sv, "\x16\x03\x01\xff\xff"sv}) {
    EXPECT_EQ(scan_tls_hello(as_bytes(text)), broken) << text;
  }
  EXPECT_EQ(scan_tls_hello({}), more);
}

}  // namespace
}  // namespace muster::net
