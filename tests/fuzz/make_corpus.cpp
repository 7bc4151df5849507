// Writes the seeds of the corpus into a folder, from what the encoders say today: one folder a
// target, one file a seed.

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <muster/contract.hpp>

#include "accord/record.hpp"
#include "base/hex.hpp"
#include "client/core/caller.hpp"
#include "wire/group_messages.hpp"
#include "wire/hello.hpp"
#include "wire/notices.hpp"
#include "wire/round_messages.hpp"
#include "wire/status_messages.hpp"
#include "wire/store_messages.hpp"
#include "wire/v0_requests.hpp"

namespace muster::fuzz {
namespace {

namespace fs = std::filesystem;
using wire::encode;

class Corpus {
 public:
  explicit Corpus(fs::path folder) : folder_(std::move(folder)) {}

  void write(const char* target, const std::string& name, Bytes bytes) const {
    fs::create_directories(folder_ / target);
    std::ofstream file(folder_ / target / (name + ".bin"), std::ios::binary);
    file << as_text(bytes);
  }
  void write(const char* target, const std::string& name, std::string_view text) const {
    write(target, name, as_bytes(text));
  }
  template <class Message>
  void body(const char* target, const std::string& name, const Message& message) const {
    Value out;
    encode(message, out);
    write(target, name, out);
  }

 private:
  fs::path folder_;
};

Value joined(std::initializer_list<Bytes> parts) {
  Value all;
  for (const Bytes part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class Message>
Value frame(wire::Type type, std::uint32_t sequence, const Message& message) {
  Value out = client::frame(type, message);
  wire::set_sequence(out.data(), sequence);
  return out;
}

/// A frame without a body, and a bad answer.
Value empty_frame(wire::Type type, std::uint32_t sequence) {
  Value out;
  wire::end_frame(out, wire::begin_frame(out), type, sequence);
  return out;
}
Value bad_answer(wire::Type type, std::uint32_t sequence, const Failure& failure) {
  Value out;
  const std::size_t begun = wire::begin_frame(out);
  encode(failure, out);
  wire::end_frame(out, begun, type, sequence, static_cast<std::int16_t>(failure.code));
  return out;
}

Failure failure() {
  return {.code = Code::rank_lost,
          .reason = "rank 1 is lost",
          .advice = "look at its log",
          .who = {{1, "node7", 4711, "in barrier"}, {2, "node8", 4712, ""}}};
}

wire::ClientHello client_hello() {
  return {.epoch = Epoch{{std::byte{1}}},
          .size = 3,
          .pid = 4711,
          .left_ms = 60'000,
          .job = "demo",
          .host = "node7",
          .ranks = {{1, 1}, {4, 2}}};
}

void hellos(const Corpus& corpus) {
  wire::ClientHello hello = client_hello();
  corpus.write("client_hello", "rank", wire::encode(hello));
  hello.version_min = 2;
  hello.version_max = 3;
  corpus.write("client_hello", "later_version", wire::encode(hello));
  hello = {.role = wire::Role::tool, .incarnation = {7}};
  corpus.write("client_hello", "tool", joined({wire::encode(hello), as_bytes("behind it")}));
  hello.ranks.resize(100, {1, 1});
  corpus.write("client_hello", "long", wire::encode(hello));
  hello = {.role = wire::Role::assigned, .auth = wire::Auth::secret, .size = 3};
  corpus.write("client_hello", "assigned", wire::encode(hello));

  const Value server = wire::encode(wire::ServerHello{.incarnation = {7}, .job = "demo"});
  const wire::Welcome welcome{.size = 2, .rank = 1, .server_rank = 0, .host = "node7", .pid = 42};
  corpus.write("server_hello", "hello", server);
  corpus.body("server_hello", "welcome", welcome);
  Value body;
  encode(welcome, body);
  corpus.write("server_hello", "both", joined({server, body}));

  const Value whole = frame(wire::Type::welcome, 0, welcome);
  const Value refused = bad_answer(wire::Type::refused, 0, failure());
  corpus.write("handshake", "welcomed", joined({as_bytes("\x10"), server, whole}));
  const Value asks = wire::encode(
      wire::ServerHello{.auth = wire::Auth::secret, .incarnation = {7}, .job = "demo"});
  corpus.write("handshake", "proven", joined({as_bytes("\x10"), asks, whole}));
  corpus.write("handshake", "refused", joined({as_bytes("\xff"), server, refused}));
  corpus.write("handshake", "web", "\x05HTTP/1.1 400 Bad Request\r\n\r\n");
}

void messages(const Corpus& corpus) {
  corpus.body("store_messages", "set", wire::SetRequest{"key", as_bytes("value")});
  corpus.body("store_messages", "get", wire::GetRequest{"key", 1000});
  corpus.body("store_messages", "add", wire::AddRequest{"key", -1});
  corpus.body("store_messages", "remove", wire::RemoveRequest{"key"});

  const wire::v0::Request requests[] = {wire::SetRequest{"key", as_bytes("value")},
                                        wire::GetRequest{"key", 1000},
                                        wire::AddRequest{"key", -1},
                                        wire::RemoveRequest{"key"},
                                        wire::AppendRequest{"key", as_bytes("end")},
                                        wire::CompareSetRequest{"key", {}, {}}};
  for (const wire::v0::Request& request : requests) {
    Value body;
    wire::v0::pack(request, body);
    corpus.write("version0", "request" + std::to_string(request.index()), body);
  }

  wire::Arrive arrive{.sequence = 1, .kind = Kind::allgather, .left_ms = 1000, .label = "step"};
  arrive.token[0] = std::byte{1};
  arrive.parts = {{0, as_bytes("first")}, {3, as_bytes("")}};
  corpus.body("round_messages", "arrive", arrive);
  Value verdict;
  wire::encode_verdict(std::array<Bytes, 3>{as_bytes("first"), {}, as_bytes("third")}, verdict);
  corpus.write("round_messages", "verdict", verdict);
  corpus.body("group_messages", "open", wire::OpenGroup{77, {5, 0, 2}});
  corpus.body("group_messages", "close", wire::CloseGroup{77, {2, 5}});

  corpus.body("notices", "failure", failure());
  corpus.body("notices", "fail", wire::FailRequest{3, "no space left"});
  corpus.body("notices", "leave", wire::LeaveRequest{5000, true});

  JobStatus status{.job = "demo", .incarnation = "7", .size = 3};
  status.failure = failure();
  status.rows = {{.who = {1, "node7", 4711, ""}, .state = State::lost, .waiting_in = "barrier"}};
  status.rounds = {{.sequence = 2, .what = "barrier", .arrived = 1, .missing = {0, 2}}};
  status.seeking = 2;
  status.seekers = {{"node8", 4712, std::chrono::milliseconds{9}}};
  corpus.body("status_messages", "status", status);
  Value older;
  wire::encode_without_seekers(status, older);
  corpus.write("status_messages", "older", older);
  corpus.body("status_messages", "request", wire::StatusRequest{0, 16});

  const Contract contract = Contract::Builder()
                                .real("rate", 0.1, Share::open)
                                .integer("seed", 4711)
                                .text("name", "x", Share::open)
                                .build()
                                .value();
  corpus.write("record", "three", accord::encode(accord::make_record(Epoch{}, contract)));
  corpus.write("record", "made", std::string("\1\3\1a\1\1\0\4\1b\2hi\1\5\1c\1x", 17));
}

void streams(const Corpus& corpus) {
  const Value set = frame(wire::Type::set, 1, wire::SetRequest{"key", as_bytes("value")});
  const Value add = frame(wire::Type::add, 2, wire::AddRequest{"tune", 1});
  const Value leave = frame(wire::Type::leave, 3, wire::LeaveRequest{1, false});
  corpus.write("frames", "three", joined({as_bytes("\3\1\x11\x20"), set, add, leave}));
  corpus.write("frames", "half", joined({as_bytes("\2\20\1"), set, Bytes(add).first(18)}));
  corpus.body("canary", "add", wire::AddRequest{"tune", 1});

  const Value mustered = empty_frame(wire::Type::mustered, 0);
  const Value doomed = bad_answer(wire::Type::doomed, 0, failure());
  const Value answer = empty_frame(wire::Type::set, 1);
  const Value refusal = bad_answer(wire::Type::get, 2, failure());
  const std::string three("\3\0", 2);
  corpus.write("pending", "answers", joined({as_bytes(three), mustered, answer, refusal}));
  corpus.write("pending", "doomed", joined({as_bytes("\4\2"), doomed, answer}));
}

/// Steps of server_core.cpp: what, and details. Links 0 to 3 are the top bits of the first byte.
void lives(const Corpus& corpus) {
  const std::string hellos("\1\x07\0\x47\1\x87\2", 7);
  const auto life = [&](const char* name, const std::string& steps) {
    corpus.write("server_core", name, hellos + steps);
  };
  life("barrier", std::string("\x0f\7\0\x4f\7\1\x8f\7\2", 9));
  life("allgather", std::string("\x0f\7\x2c\x4f\7\x2d\x8f\7\x2e", 9));
  life("wait", std::string("\x0f\1\4\x4f\0\0", 6));
  life("time_out", std::string("\x0f\7\0\4\4", 5));
  life("leave", std::string("\x0f\6\0\x4f\6\0\x8f\6\4", 9));
  life("lost", std::string("\x0f\7\0\x40", 4));
  life("tool", std::string("\xc7\xc0\xcf\4\x10\xcf\0\0\xcf\2\1", 11));
  life("cut", std::string("\5\7\x0f\0\0\5\x12\x0f\3\1", 10));
  corpus.write("server_core", "tls", std::string("\x00\x01\x05\x16\x03\x01\x00\x10", 8));
  corpus.write("server_core", "secret", std::string("\4\7\x0c\x08\0\x47\x49\x48\1", 9));
  corpus.write("server_core", "assigned", std::string("\1\7\x40\x47\x40\x87\x40\x0f\7\0", 10));
  corpus.write("server_core", "seeker_lost", std::string("\1\7\x40\x47\1\0", 6));
  corpus.write("server_core", "vouched", std::string("\x0c\6\3\7\0\x47\1", 7));
  life("stop", std::string("\6\2\6\1", 4));
  corpus.write("server_core", "strangers", std::string("\0\1\4MuMu\x41\3GET\x81\1M\3\x0b\4\4", 20));
}

/// What becomes of a TLS link: see tests/fuzz/tls_plant.cpp.
void links(const Corpus& corpus) {
  const auto link = [&](const std::string& name, const std::string& steps) {
    corpus.write("tls", name, std::string(1, '\0') + steps);
  };
  link("talk", "\x0f\1\7\x81\7\x0f");
  link("cut_apart", std::string("\0\5\0\x1f\0\0\x80\7\x80\0\0\0\1\x33\0\x11\0\0", 18));
  link("key_changes", "\x0f\2\x10\x0f\1\2\x0f");
  link("key_flood",
       "\x0f\2\xff\2\xff\2\xff\2\xff\2\xff\2\xff\2\xff\2\xff\2\xff\2\xff\2\xff\2\xff\x0f");
  link("goodbye", "\x0f\1\7\3\x0f");
  link("flip", std::string("\x0f\1\7\5\x20\0\1\x0f", 8));
  link("left_out", std::string("\x0f\1\0\1\1\6\0\0\x17\x0f", 10));
  link("repeated", std::string("\x0f\1\0\7\0\0\x17\x0f", 8));
  link("swapped", std::string("\x0f\1\0\1\1\x0a\x0f", 7));
  link("put_in", std::string("\0\0\x09\0\0\4\x15\1\0\0\x0f", 11));
  link("replayed_link", std::string("\x0f\1\7\x0f\4\6\0\0\xff\x0b\0\0\0\0\4\0\0\0\0", 19));
  link("reflected", std::string("\0\0\x8b\1\0\0\0\4\x80\0", 10));
  corpus.write("tls", "stranger", "\1\x0f\1\7\x0f");
  corpus.write("tls_canary", "talk", std::string("\0\x0f\1\7\x0f", 5));
  // In the middle of the handshake a record is put in, which is empty yet.
  corpus.write("tls_canary", "record", std::string("\0\0\0\x09\0\0\0\x17", 8));
}

void texts(const Corpus& corpus) {
  corpus.write("url", "tcp", "tcp://node7:4711");
  corpus.write("url", "tcp6", "tcp6://[fe80::1%eth0]:4711");
  corpus.write("url", "brackets", "tcp://[::1]:0");
  corpus.write("url", "unix", "unix:///tmp/job.sock");
  corpus.write("url", "password", "tcp://user:secret@node7:1");
  // The example of docs/reference/formats.md.
  const std::string head = "4d55535445524944010057003412000007000000000000000001020304050607";
  const std::string id = head + "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f040064656d6f1300" +
                         "7463703a2f2f31302e302e302e353a343731314e97b0af";
  Value bytes(id.size() / 2);
  from_hex(id, bytes);
  corpus.write("unique_id", "text", "muster1:" + id);
  corpus.write("unique_id", "bytes", bytes);
  corpus.write("unique_id", "newer", "muster2:00");
  const std::string plain = "MUSTER_URL=tcp://127.0.0.1:4711\nMUSTER_RANK=1\nMUSTER_SIZE=2\n";
  corpus.write("environment", "plain", plain);
  corpus.write("environment", "any_rank",
               "MUSTER_URL=tcp://n:1\nMUSTER_RANK=any\nMUSTER_SIZE=2\nMUSTER_SERVE=external\n"
               "MUSTER_SECURITY=secret\nMUSTER_SECRET=" +
                   std::string(32, 's') + "\n");
  corpus.write("environment", "all",
               plain +
                   "MUSTER_SERVE=external\nMUSTER_JOB=demo\nMUSTER_INCARNATION=7\n"
                   "MUSTER_EPOCH=" +
                   std::string(64, 'a') +
                   "\nMUSTER_JOIN_TIMEOUT=2.5\nMUSTER_OP_TIMEOUT=1e3\nMUSTER_LOG=debug\n"
                   "MUSTER_LISTEN_FD=3\n");
}

}  // namespace
}  // namespace muster::fuzz

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const muster::fuzz::Corpus corpus(argv[1]);
  muster::fuzz::hellos(corpus);
  muster::fuzz::messages(corpus);
  muster::fuzz::streams(corpus);
  muster::fuzz::lives(corpus);
  muster::fuzz::links(corpus);
  muster::fuzz::texts(corpus);
  return 0;
}
