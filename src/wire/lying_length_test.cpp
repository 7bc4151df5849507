// Counts and lengths that a peer merely claims must not be allocated. The test program's allocator
// notes the largest single allocation.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>  // taste: this is the meter

#include "wire/exact_message.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/notices.hpp"
#include "wire/round_messages.hpp"
#include "wire/status_messages.hpp"
#include "wire/store_messages.hpp"

namespace {
std::size_t largest_allocation_bytes = 0;
}

// Inlined, free() looks to the compiler like the wrong answer to new.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t bytes) {
  largest_allocation_bytes = std::max(largest_allocation_bytes, bytes);
  if (void* memory = std::malloc(bytes)) return memory;  // taste: this is the meter
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace muster::wire {
namespace {

/// What a decoder may take for a body: its items are larger in memory than on the wire, and a
/// vector doubles.
constexpr std::size_t slack_factor = 32;

template <class Decode>
void expect_modest(const Value& body, Decode decode) {
  for (std::size_t offset = 0; offset + 4 <= body.size(); ++offset) {
    Value lie = body;
    std::fill_n(lie.begin() + static_cast<std::ptrdiff_t>(offset), 4, std::byte{0xff});
    largest_allocation_bytes = 0;
    decode(lie);
    EXPECT_LE(largest_allocation_bytes, slack_factor * body.size()) << "lie at " << offset;
  }
}

TEST(LyingLength, NoDecoderAllocatesByAClaim) {
  ClientHello client;
  client.ranks = {{0, 1}, {2, 1}};
  expect_modest(encode(client), decode_client_hello);
  expect_modest(encode(ServerHello{}), decode_server_hello);
  expect_modest(body_of(Welcome{}), decode_welcome);
  expect_modest(body_of(SetRequest{"k", as_bytes("v")}), decode_set);
  expect_modest(body_of(Failure{Code::limit, "why", "", {{1, "h", 1, "d"}}, 1}), decode_failure);
  Arrive arrive;
  arrive.parts = {{0, as_bytes("abc")}, {1, {}}};
  expect_modest(body_of(arrive), decode_arrive);
  JobStatus status;
  status.rows.resize(2);
  status.rounds.resize(2);
  expect_modest(body_of(status), decode_status);
  Value verdict;
  encode_verdict(std::vector<Bytes>{as_bytes("abc"), as_bytes("d")}, verdict);
  expect_modest(verdict, decode_verdict);
}

TEST(LyingLength, AFrameReaderGrowsWithWhatCame) {
  Value claim(header_bytes);
  put_header(claim.data(), {Type::set, 0, limits::frame_body_bytes_max, 1});
  FrameReader reader;
  FrameHeader header;
  Bytes body;
  largest_allocation_bytes = 0;
  reader.feed(claim);
  EXPECT_EQ(reader.next(header, body), FrameReader::Found::more);
  const Value some(1000);
  reader.feed(some);
  EXPECT_EQ(reader.next(header, body), FrameReader::Found::more);
  EXPECT_LE(largest_allocation_bytes, 2 * (claim.size() + some.size()));
}

}  // namespace
}  // namespace muster::wire
