#include "server/core/door.hpp"

#include <gmock/gmock.h>

#include "server/core/core_fixture.hpp"
#include "wire/proofs.hpp"

namespace muster::server {
namespace {

using ::testing::HasSubstr;

const Secret the_secret = Secret::from_bytes(Value(32, std::byte{7})).value();

/// A job of one rank that asks for the_secret; link 1 is a newcomer.
class SecretDoor : public ::testing::Test {
 protected:
  SecretDoor() { job.step(Opened{1, "10.0.0.1:5"}); }

  static Value hello(wire::Auth auth = wire::Auth::secret, std::byte nonce = std::byte{1}) {
    wire::ClientHello hello{.auth = auth, .size = 1, .left_ms = 60'000, .host = "h"};
    hello.nonce.fill(nonce);
    hello.ranks = {{0, 1}};
    return wire::encode(hello);
  }
  /// The server's hello in what it has just sent.
  Value said() const {
    const Value bytes = bytes_of(std::get<Send>(job.actions.list.front()), job.actions);
    const std::size_t length = wire::scan_server_hello(bytes).length;
    return to_value(Bytes(bytes).first(length));
  }
  static Digest proof_of(const Secret& secret, Bytes client, Bytes server) {
    return wire::client_proof(wire::ProofKeys(secret, "demo"), client, server);
  }
  std::vector<Seen> prove(LinkId link, const Digest& digest) {
    const Value frame = make_frame(wire::Type::proof, 0, wire::Proof{digest});
    return job.step(Received{link, frame});
  }
  static void expect_refused(const std::vector<Seen>& seen, std::string_view why) {
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].type, wire::Type::refused);
    EXPECT_THAT(seen[0].failure().reason, HasSubstr(std::string(why)));
  }

  CoreFixture job{CoreOptions{.secret = the_secret}};
};

TEST_F(SecretDoor, LetsInWhoProves) {
  const Value client = hello();
  EXPECT_TRUE(job.step(Received{1, client}).empty()) << "no welcome yet";
  const Value server = said();
  EXPECT_EQ(wire::decode_server_hello(server)->auth, wire::Auth::secret);
  const Digest proof = proof_of(the_secret, client, server);
  const auto seen = prove(1, proof);
  ASSERT_EQ(seen.size(), 2U);
  ASSERT_EQ(seen[0].type, wire::Type::welcome);
  EXPECT_EQ(wire::decode_welcome(seen[0].body)->proof,
            wire::server_proof(wire::ProofKeys(the_secret, "demo"), client, server, proof));
  EXPECT_EQ(seen[1].type, wire::Type::mustered);
}

TEST_F(SecretDoor, TakesTheProofInPieces) {
  const Value client = hello();
  job.step(Received{1, client});
  const Value frame =
      make_frame(wire::Type::proof, 0, wire::Proof{proof_of(the_secret, client, said())});
  for (std::size_t i = 0; i + 1 < frame.size(); ++i) {
    ASSERT_TRUE(job.step(Received{1, Bytes(frame).subspan(i, 1)}).empty());
  }
  EXPECT_EQ(job.step(Received{1, Bytes(frame).last(1)}).front().type, wire::Type::welcome);
}

TEST_F(SecretDoor, RefusesAnotherSecret) {
  const Value client = hello();
  job.step(Received{1, client});
  const Secret other = Secret::from_bytes(Value(32, std::byte{8})).value();
  expect_refused(prove(1, proof_of(other, client, said())), "do not hold this job's secret");
  EXPECT_EQ(count_of<Close>(job.actions), 1U);
  EXPECT_FALSE(job.core.status(job.now).failure) << "it concerns the newcomer alone";
}

TEST_F(SecretDoor, RefusesAReplayedProof) {
  const Value client = hello();
  job.step(Received{1, client});
  const Digest proof = proof_of(the_secret, client, said());
  job.step(Opened{2, "10.0.0.2:5"});
  job.step(Received{2, client});
  expect_refused(prove(2, proof), "the proof is wrong");
}

TEST_F(SecretDoor, RefusesAProofOverAnotherHello) {
  const Value client = hello();
  job.step(Received{1, client});
  const Value swapped = hello(wire::Auth::secret, std::byte{2});
  expect_refused(prove(1, proof_of(the_secret, swapped, said())), "the proof is wrong");
}

TEST_F(SecretDoor, RefusesTheProofOfTheOtherDirection) {
  const Value client = hello();
  job.step(Received{1, client});
  const wire::ProofKeys keys(the_secret, "demo");
  const Digest own = wire::client_proof(keys, client, said());
  expect_refused(prove(1, wire::server_proof(keys, client, said(), own)), "the proof is wrong");
}

TEST_F(SecretDoor, RefusesWhoHasNoSecret) {
  const Value client = hello(wire::Auth::none);
  expect_refused(job.step(Received{1, client}), "asks for its secret, and you have none");
}

TEST_F(SecretDoor, RefusesAnythingButAProof) {
  job.step(Received{1, hello()});
  const Value frame = make_frame(wire::Type::set, 1, wire::SetRequest{"k", as_bytes("v")});
  expect_refused(job.step(Received{1, frame}), "the proof is wrong");
}

TEST_F(SecretDoor, RefusesVersion0) {
  const Value old = encode(wire::v0::Hello{});
  EXPECT_TRUE(job.step(Received{1, old}).empty());
  EXPECT_EQ(count_of<Close>(job.actions), 1U);
}

TEST_F(SecretDoor, HasTimeLimitsForTheProof) {
  job.step(Received{1, hello()});
  job.now += limits::hello_time_max;
  job.step(Tick{});
  EXPECT_EQ(count_of<Close>(job.actions), 1U);
  EXPECT_EQ(job.core.open_items(), 0U);
}

TEST_F(SecretDoor, NeedsNoProofOfWhoIsVouchedFor) {
  job.step(Vouched{1});
  const Value client = hello(wire::Auth::none);
  EXPECT_EQ(job.step(Received{1, client}).front().type, wire::Type::welcome);
}

TEST_F(SecretDoor, CountsTheTimeLeftFromTheHelloOn) {
  CoreFixture pair{CoreOptions{.size = 2, .secret = the_secret}};
  pair.step(Opened{1, "unix"});
  wire::ClientHello in_time{.auth = wire::Auth::secret, .size = 2, .left_ms = 5000};
  in_time.ranks = {{0, 1}};
  const Value client = wire::encode(in_time);
  pair.step(Received{1, client});
  const Value bytes = bytes_of(std::get<Send>(pair.actions.list.front()), pair.actions);
  const TimePoint asked_at = pair.now;
  pair.now += std::chrono::seconds{3};
  const Value frame =
      make_frame(wire::Type::proof, 0, wire::Proof{proof_of(the_secret, client, bytes)});
  EXPECT_EQ(pair.step(Received{1, frame}).front().type, wire::Type::welcome);
  EXPECT_EQ(pair.core.next_deadline(), asked_at + std::chrono::milliseconds{4950});
}

TEST_F(SecretDoor, JudgesTheHelloThatWasProven) {
  wire::ClientHello wrong{.auth = wire::Auth::secret, .size = 1, .left_ms = 60'000, .job = "blue"};
  wrong.ranks = {{0, 1}};
  const Value client = wire::encode(wrong);
  EXPECT_TRUE(job.step(Received{1, client}).empty()) << "a stranger is not told more";
  expect_refused(prove(1, proof_of(the_secret, client, said())), "you belong to job 'blue'");
}

TEST(PlainDoor, TurnsAwayASeekerThatGoesOnInTheSameBreath) {
  CoreFixture job{CoreOptions{.size = 2}};
  job.step(Opened{1, "unix"});
  Value bytes = wire::encode(wire::ClientHello{.role = wire::Role::assigned, .size = 2});
  const Value frame = make_frame(wire::Type::set, 1, wire::SetRequest{"k", as_bytes("v")});
  bytes.insert(bytes.end(), frame.begin(), frame.end());
  job.step(Received{1, bytes});
  EXPECT_EQ(count_of<Close>(job.actions), 1U);
  EXPECT_TRUE(job.core.status(job.now).failure) << "as one that is lost before it has its rank";
}

TEST(PlainDoor, RefusesWhoHasASecret) {
  CoreFixture job{CoreOptions{}};
  job.step(Opened{1, "unix"});
  wire::ClientHello hello{.auth = wire::Auth::secret, .size = 1};
  hello.ranks = {{0, 1}};
  const auto seen = job.step(Received{1, wire::encode(hello)});
  EXPECT_THAT(seen.front().failure().reason, HasSubstr("has no secret, and you have one"));
}

TEST(TlsDoor, RefusesWhoIsNotVouchedFor) {
  CoreFixture job{CoreOptions{.tls = true}};
  for (const LinkId link : {1, 2}) job.step(Opened{link, "unix"});
  const auto seen = job.step(Received{1, CoreFixture::hello_of(0, 1)});
  EXPECT_THAT(seen.front().failure().reason, HasSubstr("is served over TLS"));
  job.step(Vouched{2});
  EXPECT_EQ(job.step(Received{2, CoreFixture::hello_of(0, 1)}).front().type, wire::Type::welcome);
}

TEST(TlsDoor, TurnsAwayWhomTheDriverRejects) {
  CoreFixture job{CoreOptions{.tls = true}};
  job.step(Opened{1, "10.0.0.1:5"});
  job.step(Spoke{1});
  job.step(Rejected{1, "TLS handshake failed: no key"});
  ASSERT_EQ(count_of<Log>(job.actions), 1U);
  EXPECT_EQ(std::get<Log>(job.actions.list.front()).line,
            "turned 10.0.0.1:5 away: TLS handshake failed: no key");
  EXPECT_EQ(count_of<Close>(job.actions), 0U) << "the driver closes it";
  EXPECT_EQ(job.core.open_items(), 0U);
  job.step(Rejected{1, "twice"});
}

TEST(PlainDoor, TellsTlsClientsThatThereIsNone) {
  CoreFixture job{CoreOptions{}};
  job.step(Opened{1, "10.0.0.1:5"});
  job.step(Received{1, as_bytes("\x16\x03\x01\x02\x00")});
  const Value said = bytes_of(std::get<Send>(job.actions.list.front()), job.actions);
  EXPECT_EQ(as_text(said), std::string_view("\x15\x03\x03\x00\x02\x02\x0a", 7));
  EXPECT_EQ(count_of<Close>(job.actions), 1U);
}

}  // namespace
}  // namespace muster::server
