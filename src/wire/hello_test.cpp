#include "wire/hello.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "wire/exact_message.hpp"

namespace muster::wire {
namespace {

ClientHello sample() {
  ClientHello hello;
  hello.features = 5;
  hello.incarnation = {0x0102030405060708};
  hello.nonce.fill(std::byte{0xCC});
  hello.size = 4;
  hello.pid = 4711;
  hello.left_ms = 1000;
  hello.job = "job1";
  hello.host = "n7";
  hello.ranks = {{2, 1}};
  return hello;
}

ServerHello server_sample() {
  ServerHello hello;
  hello.incarnation = {0x0102030405060708};
  hello.nonce.fill(std::byte{0xDD});
  hello.job = "job1";
  return hello;
}

TEST(Hello, ClientBytes) {
  const Value bytes = encode(sample());
  EXPECT_EQ(bytes, from_spaced_hex("4d75 0100 0100 6c00 05000000 00 00 0000"
                                   "0807060504030201 00000000"
                                   "0000000000000000 0000000000000000"
                                   "0000000000000000 0000000000000000"
                                   "cccccccccccccccc cccccccccccccccc"
                                   "04000000 67120000 e8030000"
                                   "0400 6a6f6231 0200 6e37 0100 02000000 01000000"));
}

TEST(Hello, ClientComesBack) {
  EXPECT_EQ(decode_client_hello(encode(sample())), sample());
  ClientHello tool;
  tool.role = Role::tool;
  EXPECT_EQ(decode_client_hello(encode(tool)), tool);

  ClientHello full = sample();
  full.epoch = Epoch::random();
  full.job = std::string(limits::job_id_bytes_max, 'j');
  full.host = std::string(limits::host_bytes_max, 'h');
  full.ranks = {{0, 7}, {9, 1}};
  EXPECT_EQ(decode_client_hello(encode(full)), full);
  full.host += 'h';
  EXPECT_EQ(decode_client_hello(encode(full))->host.size(), limits::host_bytes_max);
  expect_exact(encode(full), decode_client_hello);
  survive_noise(encode(full), decode_client_hello);
}

TEST(Hello, ServerBytes) {
  const Value bytes = encode(server_sample());
  EXPECT_EQ(bytes, from_spaced_hex("754d 0100 2600 00 00 0807060504030201"
                                   "dddddddddddddddd dddddddddddddddd 0400 6a6f6231"));
  EXPECT_EQ(decode_server_hello(bytes), server_sample());
  expect_exact(bytes, decode_server_hello);
  survive_noise(bytes, decode_server_hello);
}

TEST(Hello, AnEqualBodyUnderAWrongLengthIsRefused) {
  Value client = encode(sample());
  client[6] = static_cast<std::byte>(client.size() - 1);
  EXPECT_FALSE(decode_client_hello(client));
  Value server = encode(server_sample());
  server[4] = static_cast<std::byte>(server.size() + 1);
  EXPECT_FALSE(decode_server_hello(server));
}

TEST(Hello, AnotherVersionDecodesAsFarAsItCanBeNamed) {
  ClientHello newer = sample();
  newer.version_min = 2;
  newer.version_max = 3;
  const auto decoded = decode_client_hello(encode(newer));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->version_min, 2);
  EXPECT_EQ(decoded->version_max, 3);
  EXPECT_EQ(decoded->job, "");
  newer.version_min = 1;
  EXPECT_EQ(decode_client_hello(encode(newer)), newer) << "1 to 3 holds 1";

  ServerHello server = server_sample();
  server.version = 2;
  ASSERT_TRUE(decode_server_hello(encode(server)));
  EXPECT_EQ(decode_server_hello(encode(server))->version, 2);
}

TEST(Hello, UnknownRolesAndReservedBytesAreRefused) {
  for (const std::size_t offset : {12, 13, 14, 15, 24, 27}) {
    Value bytes = encode(sample());
    bytes[offset] = std::byte{3};
    EXPECT_FALSE(decode_client_hello(bytes)) << "offset " << offset;
  }
  for (const std::size_t offset : {6, 7}) {
    Value bytes = encode(server_sample());
    bytes[offset] = std::byte{2};
    EXPECT_FALSE(decode_server_hello(bytes)) << "offset " << offset;
  }
}

TEST(HelloDeathTest, MoreRankRangesThanFitAssert) {
  ClientHello hello = sample();
  hello.ranks.resize(115);
  EXPECT_EQ(encode(hello).size(), 100U + 115 * 8);
  hello.ranks.resize(116);
  EXPECT_DEATH(encode(hello), "hello_bytes_max");
}

TEST(HelloScan, WholeHellosInEveryPrefix) {
  Value client = encode(sample());
  Value server = encode(server_sample());
  const std::size_t client_bytes = client.size();
  const std::size_t server_bytes = server.size();
  client.resize(client_bytes + 5);  // what follows is not the hello's
  server.resize(server_bytes + 5);
  for (std::size_t length = 0; length <= client.size(); ++length) {
    const HelloScan scan = scan_client_hello(Bytes(client).first(length));
    EXPECT_EQ(scan.state, length < client_bytes ? HelloState::more : HelloState::complete);
    EXPECT_EQ(scan.length, length < client_bytes ? 0 : client_bytes);
  }
  for (std::size_t length = 0; length <= server.size(); ++length) {
    const HelloScan scan = scan_server_hello(Bytes(server).first(length));
    EXPECT_EQ(scan.state, length < server_bytes ? HelloState::more : HelloState::complete);
    EXPECT_EQ(scan.length, length < server_bytes ? 0 : server_bytes);
  }
}

TEST(HelloScan, Foreigners) {
  const Value tls = from_spaced_hex("16 0301 0200 01 0001fc 0303");
  for (const Bytes first : {as_bytes("GET / HTTP/1.1\r\n"), Bytes(tls), as_bytes("SSH-2.0-x")}) {
    EXPECT_EQ(scan_client_hello(first).state, HelloState::foreign);
    EXPECT_EQ(scan_server_hello(first).state, HelloState::foreign);
    EXPECT_EQ(scan_client_hello(first.first(4)).state, HelloState::foreign);
    EXPECT_EQ(scan_server_hello(first.first(1)).state, HelloState::foreign);
  }
  EXPECT_EQ(scan_server_hello(encode(sample())).state, HelloState::foreign) << "an echo";
  EXPECT_EQ(scan_client_hello(encode(server_sample())).state, HelloState::foreign);
}

TEST(HelloScan, AVersion0Client) {
  const Value old = from_spaced_hex("cc0a 0000 73737373 0100000000000000");
  EXPECT_EQ(scan_client_hello(old).state, HelloState::old);
  EXPECT_EQ(scan_client_hello(Bytes(old).first(4)).state, HelloState::old);
  EXPECT_EQ(scan_client_hello(Bytes(old).first(3)).state, HelloState::more);
  EXPECT_EQ(scan_client_hello(from_spaced_hex("4d75 0000 ffff ffff")).state, HelloState::old);
  EXPECT_FALSE(decode_client_hello(from_spaced_hex("4d75 0000 0100 0800")));
}

TEST(HelloScan, LengthsThatCannotBe) {
  const auto client = [](std::string_view length) {
    return scan_client_hello(from_spaced_hex("4d75 0100 0100" + std::string(length))).state;
  };
  EXPECT_EQ(client("0004"), HelloState::more) << "1,024, the limit";
  EXPECT_EQ(client("0104"), HelloState::foreign) << "1,025";
  EXPECT_EQ(client("ffff"), HelloState::foreign);
  EXPECT_EQ(client("0700"), HelloState::foreign) << "less than its own stem";
  EXPECT_EQ(client("0800"), HelloState::complete);
  const auto server = [](std::string_view length) {
    return scan_server_hello(from_spaced_hex("754d 0100" + std::string(length))).state;
  };
  EXPECT_EQ(server("0004"), HelloState::more);
  EXPECT_EQ(server("0104"), HelloState::foreign);
  EXPECT_EQ(server("0500"), HelloState::foreign);
  EXPECT_EQ(server("0600"), HelloState::complete);
}

TEST(Welcome, Bytes) {
  Welcome welcome;
  welcome.epoch.bytes.fill(std::byte{0xEE});
  welcome.size = 4;
  welcome.server_rank = 0;
  welcome.host = "n0";
  welcome.pid = 17;
  welcome.value_bytes_max = 0x04000000;
  welcome.round_bytes_max = 0x03000000;
  welcome.heartbeat_ms = 2000;
  welcome.rank = 3;
  welcome.proof.fill(std::byte{0xAB});
  const Value body = body_of(welcome);
  EXPECT_EQ(body,
            from_spaced_hex("eeeeeeeeeeeeeeee eeeeeeeeeeeeeeee eeeeeeeeeeeeeeee eeeeeeeeeeeeeeee"
                            "04000000 03000000 00000000 0200 6e30 11000000"
                            "00000004 00000003 d0070000"
                            "abababababababab abababababababab abababababababab abababababababab"));
  EXPECT_EQ(decode_welcome(body), welcome);
  expect_exact(body, decode_welcome);
  survive_noise(body, decode_welcome);
}

}  // namespace
}  // namespace muster::wire
