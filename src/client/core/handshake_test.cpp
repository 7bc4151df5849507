#include "client/core/handshake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/random.hpp"
#include "wire/notices.hpp"

namespace muster::client {
namespace {

using State = Handshake::State;
using testing::HasSubstr;
using testing::Not;

wire::ClientHello rank_2_of_4() {
  wire::ClientHello hello;
  hello.size = 4;
  hello.ranks = {{2, 1}};
  return hello;
}

wire::ServerHello server_hello() {
  wire::ServerHello hello;
  hello.incarnation = {0xAB};
  hello.job = "job1";
  return hello;
}

wire::Welcome welcome() {
  wire::Welcome welcome;
  welcome.epoch.bytes[0] = std::byte{7};
  welcome.size = 4;
  welcome.rank = 2;
  welcome.server_rank = 0;
  welcome.host = "n0";
  welcome.pid = 17;
  return welcome;
}

template <class Message>
Value answer(const wire::ServerHello& hello, wire::Type type, const Message& message) {
  Value bytes = encode(hello);
  const std::size_t begun = wire::begin_frame(bytes);
  wire::encode(message, bytes);
  wire::end_frame(bytes, begun, type, 0);
  return bytes;
}

Value good_answer() {
  return answer(server_hello(), wire::Type::welcome, welcome());
}

/// What the handshake says of a peer that sends `bytes`.
Error error_of(Bytes bytes, wire::ClientHello hello = rank_2_of_4()) {
  Handshake handshake(std::move(hello));
  std::size_t used = 0;
  EXPECT_EQ(handshake.feed(bytes, used), State::failed);
  EXPECT_EQ(handshake.error().phase, Phase::hello);
  return handshake.error();
}

TEST(Handshake, SendsItsHello) {
  EXPECT_EQ(wire::decode_client_hello(Handshake(rank_2_of_4()).hello()), rank_2_of_4());
}

TEST(Handshake, Welcomed) {
  Handshake handshake(rank_2_of_4());
  std::size_t used = 0;
  ASSERT_EQ(handshake.feed(good_answer(), used), State::welcomed);
  EXPECT_EQ(used, good_answer().size());
  const Session& session = handshake.session();
  EXPECT_EQ(session.job, "job1");
  EXPECT_EQ(session.incarnation.number, 0xABU);
  EXPECT_EQ(session.epoch, welcome().epoch);
  EXPECT_EQ(session.rank, 2U);
  EXPECT_EQ(session.size, 4U);
  EXPECT_EQ(session.server, (RankName{0, "n0", 17, ""}));
}

TEST(Handshake, InEverySplitAndWithFramesBehindIt) {
  Value bytes = good_answer();
  const std::size_t whole = bytes.size();
  bytes.resize(whole + 9);
  for (std::size_t cut = 0; cut < whole; ++cut) {
    Handshake handshake(rank_2_of_4());
    std::size_t used = 0;
    ASSERT_EQ(handshake.feed(Bytes(bytes).first(cut), used), State::more) << cut;
    EXPECT_EQ(used, cut);
    ASSERT_EQ(handshake.feed(Bytes(bytes).subspan(cut), used), State::welcomed) << cut;
    EXPECT_EQ(used, whole - cut) << "what follows is not the handshake's";
  }
  Handshake handshake(rank_2_of_4());
  std::size_t used = 0;
  for (std::size_t i = 0; i + 1 < whole; ++i) {
    ASSERT_EQ(handshake.feed(Bytes(bytes).subspan(i, 1), used), State::more);
  }
  EXPECT_EQ(handshake.feed(Bytes(bytes).subspan(whole - 1), used), State::welcomed);
  EXPECT_EQ(used, 1U);
}

TEST(Handshake, AToolHasNoRank) {
  wire::ClientHello tool;
  tool.role = wire::Role::tool;
  Handshake handshake(tool);
  std::size_t used = 0;
  wire::Welcome no_rank_given = welcome();
  no_rank_given.rank = no_rank;
  const Value bytes = answer(server_hello(), wire::Type::welcome, no_rank_given);
  ASSERT_EQ(handshake.feed(bytes, used), State::welcomed);
  EXPECT_EQ(handshake.session().rank, no_rank);
}

TEST(Handshake, ARankIsAssigned) {
  wire::ClientHello seeker;
  seeker.role = wire::Role::assigned;
  Handshake handshake(seeker);
  std::size_t used = 0;
  ASSERT_EQ(handshake.feed(good_answer(), used), State::welcomed);
  EXPECT_EQ(handshake.session().rank, 2U);
}

TEST(Handshake, TheRankIsTheOneThatWasAskedFor) {
  for (const std::uint32_t rank : {1U, 4U, no_rank}) {
    wire::Welcome other = welcome();
    other.rank = rank;
    const Error error = error_of(answer(server_hello(), wire::Type::welcome, other));
    EXPECT_EQ(error.code, Code::protocol);
    EXPECT_THAT(error.what, HasSubstr("not what was asked for")) << rank;
  }
}

class ProvenHandshake : public ::testing::Test {
 protected:
  ProvenHandshake() { server_.auth = wire::Auth::secret; }

  /// What a server with `secret` welcomes the client with.
  Value proven_welcome(const Secret& secret) {
    const wire::ProofKeys keys(secret, server_.job);
    const Value hello = encode(server_);
    wire::Welcome answer = welcome();
    answer.proof = wire::server_proof(keys, handshake_.hello(), hello,
                                      wire::client_proof(keys, handshake_.hello(), hello));
    return frame(wire::Type::welcome, answer);
  }
  std::string error_after(const Value& bytes) {
    EXPECT_EQ(handshake_.feed(bytes, used_), State::failed);
    EXPECT_EQ(handshake_.error().code, Code::refused);
    return handshake_.error().what;
  }

  const Secret secret_ = Secret::random();
  wire::ServerHello server_ = server_hello();
  Handshake handshake_{rank_2_of_4(), secret_};
  std::size_t used_ = 0;
};

TEST_F(ProvenHandshake, BothProve) {
  const Value hello = encode(server_);
  ASSERT_EQ(handshake_.feed(hello, used_), State::prove);
  const Value answer = handshake_.answer();
  const auto proof = wire::decode_proof(Bytes(answer).subspan(wire::header_bytes));
  const wire::ProofKeys keys(secret_, server_.job);
  EXPECT_EQ(proof->digest, wire::client_proof(keys, handshake_.hello(), hello));
  EXPECT_EQ(handshake_.feed(proven_welcome(secret_), used_), State::welcomed);
}

TEST_F(ProvenHandshake, AServerWithAnotherSecretIsRefused) {
  ASSERT_EQ(handshake_.feed(encode(server_), used_), State::prove);
  EXPECT_THAT(error_after(proven_welcome(Secret::random())), HasSubstr("does not prove"));
}

TEST_F(ProvenHandshake, ItsOwnProofReflectedIsRefused) {
  ASSERT_EQ(handshake_.feed(encode(server_), used_), State::prove);
  wire::Welcome reflected = welcome();
  const Value answer = handshake_.answer();
  reflected.proof = wire::decode_proof(Bytes(answer).subspan(wire::header_bytes))->digest;
  EXPECT_THAT(error_after(frame(wire::Type::welcome, reflected)), HasSubstr("does not prove"));
}

TEST_F(ProvenHandshake, AServerThatAsksForNothingIsRefused) {
  server_.auth = wire::Auth::none;
  EXPECT_THAT(error_after(answer(server_, wire::Type::welcome, welcome())),
              HasSubstr("does not prove"));
}

TEST_F(ProvenHandshake, AServerThatDoesNotWaitForTheProofIsRefused) {
  EXPECT_THAT(error_after(answer(server_, wire::Type::welcome, welcome())),
              HasSubstr("does not prove"));
}

TEST_F(ProvenHandshake, ARefusalInsteadIsRead) {
  const Failure other{Code::refused, "you belong to another job", "", {}, 1};
  EXPECT_EQ(error_after(answer(server_, wire::Type::refused, other)), other.reason);
}

TEST(Handshake, ARefusalSaysWhyAndWhoIsInTheWay) {
  const Failure taken{
      Code::rank_missing, "rank 2 is taken", "look there", {{2, "n7", 4711, ""}}, 70};
  const Error error = error_of(answer(server_hello(), wire::Type::refused, taken));
  EXPECT_EQ(error.code, Code::rank_missing);
  EXPECT_EQ(error.what, "rank 2 is taken");
  EXPECT_EQ(error.advice, "look there");
  EXPECT_EQ(error.ranks, taken.who);
  EXPECT_EQ(error.exit_code, 70);
}

TEST(Handshake, ForeignersAreNamed) {
  Error error = error_of(as_bytes("HTTP/1.1 400 Bad Request\r\nServer: x\r\n"));
  EXPECT_EQ(error.code, Code::protocol);
  EXPECT_THAT(error.what, HasSubstr("no Muster server"));
  EXPECT_THAT(error.what, HasSubstr("it speaks HTTP"));
  EXPECT_THAT(error.what, HasSubstr("'HTTP/1.1 400 Bad Request\\x0d\\x0a"));
  EXPECT_THAT(error.advice, HasSubstr("address"));

  EXPECT_THAT(error_of(as_bytes("SSH-2.0-OpenSSH\r\n")).what, HasSubstr("it speaks SSH"));
  EXPECT_THAT(error_of(as_bytes("\x15\x03\x01")).what, HasSubstr("it speaks TLS"));
  EXPECT_THAT(error_of(Handshake(rank_2_of_4()).hello()).what, HasSubstr("echoes"));
  error = error_of(as_bytes("220 mail \x1b[2J"));
  EXPECT_THAT(error.what, HasSubstr("another protocol"));
  EXPECT_THAT(error.what, HasSubstr("'220 mail \\x1b[2J'")) << "nothing a terminal obeys";
}

TEST(Handshake, NoLengthOfAForeignPeerIsTrusted) {
  Value long_hello = encode(server_hello());
  long_hello[5] = std::byte{0xff};
  EXPECT_EQ(error_of(long_hello).code, Code::protocol);

  Value large = encode(server_hello());
  const std::size_t begun = wire::begin_frame(large);
  wire::put_header(large.data() + begun, {wire::Type::refused, 0, limits::frame_body_bytes_max, 0});
  EXPECT_EQ(error_of(large).code, Code::protocol) << "a refusal of 64 MiB";
}

TEST(Handshake, MalformedAnswersAreProtocolErrors) {
  EXPECT_THAT(error_of(answer(server_hello(), wire::Type::refused, welcome())).what,
              HasSubstr("refusal is malformed"));
  Value bytes = answer(server_hello(), wire::Type::welcome, wire::LeaveRequest{});
  EXPECT_THAT(error_of(bytes).what, HasSubstr("welcome is malformed"));
  bytes = answer(server_hello(), wire::Type::get, welcome());
  EXPECT_THAT(error_of(bytes).what, HasSubstr("neither welcome nor refusal"));
  bytes = encode(server_hello());
  bytes[6] = std::byte{9};
  EXPECT_THAT(error_of(bytes).what, HasSubstr("hello is malformed"));
  for (const char* name : {"", "../job", "\x1b[2J"}) {
    wire::ServerHello nameless = server_hello();
    nameless.job = name;
    EXPECT_THAT(error_of(encode(nameless)).what, HasSubstr("does not name a job"));
  }
}

TEST(Handshake, AnotherVersionIsNamed) {
  wire::ServerHello newer = server_hello();
  newer.version = 2;
  const Error error = error_of(encode(newer));
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_THAT(error.what, HasSubstr("version 2"));
  EXPECT_THAT(error.what, HasSubstr("version 1"));
}

TEST(Handshake, AWelcomeIntoAnotherJobIsRefused) {
  wire::ClientHello hello = rank_2_of_4();
  hello.job = "job2";
  Error error = error_of(good_answer(), hello);
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_THAT(error.what, HasSubstr("this is job job1, this process belongs to job2"));

  hello = rank_2_of_4();
  hello.incarnation = {0xCD};
  error = error_of(good_answer(), hello);
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_THAT(error.what, HasSubstr("00000000000000ab"));
  EXPECT_THAT(error.what, HasSubstr("00000000000000cd"));

  hello = rank_2_of_4();
  hello.size = 5;
  error = error_of(good_answer(), hello);
  EXPECT_EQ(error.code, Code::protocol);
  EXPECT_THAT(error.what, HasSubstr("size 4"));
}

TEST(Handshake, NoiseIsRefusedOrWaitedFor) {
  SeededRandom random(3);
  for (int i = 0; i < 3000; ++i) {
    Value bytes = good_answer();
    for (std::uint64_t n = random.below(4); n > 0; --n) {
      bytes[random.below(bytes.size())] = static_cast<std::byte>(random.below(256));
    }
    bytes.resize(random.below(bytes.size() + 1));
    Handshake handshake(rank_2_of_4());
    std::size_t used = 0;
    handshake.feed(bytes, used);
    EXPECT_LE(used, bytes.size());
  }
}

}  // namespace
}  // namespace muster::client
