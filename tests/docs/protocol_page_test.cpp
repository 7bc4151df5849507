// The worked bytes of docs/reference/protocol.md are what the library says.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "base/hex.hpp"
#include "paths/paths.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/many_messages.hpp"
#include "wire/notices.hpp"
#include "wire/prefix_messages.hpp"
#include "wire/round_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster::wire {
namespace {

/// The page without white space: how its bytes are laid out is the reader's concern.
std::string squeezed_page() {
  std::ifstream file(paths::source("docs/reference/protocol.md"));
  std::stringstream text;
  text << file.rdbuf();
  std::string page = text.str();
  std::erase_if(page, [](unsigned char c) { return std::isspace(c) != 0; });
  return page;
}

void expect_on_page(const char* name, Bytes bytes) {
  static const std::string page = squeezed_page();
  EXPECT_NE(page.find(to_hex(bytes)), std::string::npos) << name << ": " << to_hex(bytes);
}

template <class Message>
Value frame(Type type, std::uint32_t sequence, const Message& message, std::int16_t result = 0) {
  Value out;
  const std::size_t begun = begin_frame(out);
  encode(message, out);
  end_frame(out, begun, type, sequence, result);
  return out;
}

Value empty_frame(Type type, std::uint32_t sequence) {
  Value out;
  end_frame(out, begin_frame(out), type, sequence);
  return out;
}

Value frame_of(Type type, std::uint32_t sequence, std::string_view body) {
  Value out;
  const std::size_t begun = begin_frame(out);
  const Bytes bytes = as_bytes(body);
  out.insert(out.end(), bytes.begin(), bytes.end());
  end_frame(out, begun, type, sequence);
  return out;
}

TEST(ProtocolPage, joining) {
  ClientHello hello;
  hello.nonce.fill(std::byte{0xc1});
  hello.size = 2;
  hello.pid = 4711;
  hello.left_ms = 120000;
  hello.job = "demo";
  hello.host = "node1";
  hello.ranks = {{.first = 1, .count = 1}};
  expect_on_page("client hello", encode(hello));
  ServerHello server{.incarnation = {0x0123456789abcdef}, .job = "demo"};
  server.nonce.fill(std::byte{0x5e});
  expect_on_page("server hello", encode(server));
  Welcome welcome{.size = 2,
                  .rank = 1,
                  .server_rank = 0,
                  .host = "node0",
                  .pid = 4710,
                  .value_bytes_max = 64U << 20,
                  .round_bytes_max = 64U << 20};
  welcome.epoch.bytes.fill(std::byte{0xee});
  expect_on_page("welcome", frame(Type::welcome, 0, welcome));
  expect_on_page("mustered", empty_frame(Type::mustered, 0));
}

TEST(ProtocolPage, signs_of_life) {
  expect_on_page("beat", empty_frame(Type::beat, 0));
}

TEST(ProtocolPage, the_store) {
  expect_on_page("set", frame(Type::set, 1, SetRequest{"stop", as_bytes("yes")}));
  expect_on_page("set's answer", empty_frame(Type::set, 1));
  expect_on_page("get", frame(Type::get, 2, GetRequest{"stop", 30000}));
  expect_on_page("get's answer", frame_of(Type::get, 2, "yes"));
  const Failure absent{.code = Code::not_found, .reason = "there is no key 'x'"};
  expect_on_page("get", frame(Type::get, 3, GetRequest{"x", 0}));
  expect_on_page("bad answer",
                 frame(Type::get, 3, absent, static_cast<std::int16_t>(Code::not_found)));
  expect_on_page("compare_set", frame(Type::compare_set, 4,
                                      CompareSetRequest{"lock", std::nullopt, as_bytes("me")}));
  expect_on_page("compare_set's answer",
                 frame(Type::compare_set, 4, CompareSetAnswer{.swapped = true, .before = {}}));
  expect_on_page("watch", frame(Type::watch, 5, WatchRequest{"addr/"}));
  expect_on_page("change", frame(Type::changed, 5, Changed{"addr/1", as_bytes("n1:99")}));
}

TEST(ProtocolPage, a_round) {
  const Arrive arrive{.sequence = 1,
                      .kind = Kind::allgather,
                      .left_ms = 120000,
                      .label = "addresses",
                      .parts = {{1, as_bytes("n1")}}};
  expect_on_page("arrive", frame(Type::arrive, 6, arrive));
  Value verdict;
  const std::size_t begun = begin_frame(verdict);
  const Bytes parts[]{as_bytes("n0"), as_bytes("n1")};
  encode_verdict(parts, verdict);
  end_frame(verdict, begun, Type::arrive, 6);
  expect_on_page("verdict", verdict);
}

}  // namespace
}  // namespace muster::wire
