// The server's decisions under any interleaving of up to four links: each byte of the input is a
// step, the bytes after it say which. However wild the peers, what the core says stays a protocol,
// and when all have gone nothing of them is left.

#include <array>
#include <chrono>

#include "base/random.hpp"
#include "fuzz/target.hpp"
#include "server/core/core.hpp"
#include "wire/cursor.hpp"
#include "wire/group_messages.hpp"
#include "wire/hello.hpp"
#include "wire/many_messages.hpp"
#include "wire/notices.hpp"
#include "wire/prefix_messages.hpp"
#include "wire/proofs.hpp"
#include "wire/round_messages.hpp"
#include "wire/status_messages.hpp"
#include "wire/store_messages.hpp"
#include "wire/v0.hpp"
#include "wire/v0_requests.hpp"

namespace muster::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace server;

/// What a peer was told so far.
struct Link {
  LinkId id = 0;  ///< 0: not open
  bool greeted = false;
  bool version0 = false;
  Value hello = {};  ///< what it said last that was one
  Value server_hello = {};
  wire::FrameReader reader = wire::FrameReader();
};

class Plant {
 public:
  explicit Plant(wire::Reader input) : input_(input), core_(options(input_.u8()), random_, now_) {}

  void run() {
    for (int steps = 0; input_.left() > 0 && steps < 400; ++steps) one_step();
    for (Link& link : links_) close(link);
    // Waits, and what is said at intervals, end with those who are told.
    for (int i = 0; i < 64 && core_.next_deadline(); ++i) advance(*core_.next_deadline() - now_);
    // One that was stopped is thrown away as it is.
    MUSTER_ASSERT(stopped_ || core_.open_items() == 0);
  }

 private:
  static CoreOptions options(unsigned flags) {
    CoreOptions options{.job = "fuzz", .incarnation = {7}};
    if ((flags & 1) != 0) options.size = 3;
    if ((flags & 2) != 0) options.on_loss = OnLoss::notify;
    if ((flags & 4) != 0) options.secret = the_secret();
    options.tls = (flags & 8) != 0;
    if ((flags & 16) != 0) options.heartbeat = std::chrono::seconds{2};
    options.round_bytes_max = 256;
    options.table_bytes_max = 1024;
    return options;
  }

  static Secret the_secret() { return Secret::from_bytes(Value(32, std::byte{7})).value(); }

  void one_step() {
    const unsigned what = input_.u8();
    Link& link = links_[what >> 6];
    switch (what % 16) {
      case 0:
        return close(link);
      case 1:
        return receive(link, input_.bytes(std::min<std::size_t>(input_.u8(), input_.left())));
      case 2:
        return advance(std::chrono::milliseconds{input_.u8()});
      case 3:
        return advance(std::chrono::seconds{input_.u8()});
      case 4:
        if (core_.next_deadline()) advance(*core_.next_deadline() - now_);
        return;
      case 5:
        cut_ = input_.u8();
        return;
      case 6:
        return rare(input_.u8(), link);
      case 7:
        link.hello = hello(input_.u8());
        return receive(link, to_value(link.hello));
      case 8:
        return receive(link, proof(link, input_.u8()));
      default:
        return receive(link, request());
    }
  }

  void rare(unsigned which, Link& link) {
    if (which == 3) {
      open(link);
      if (link.id != 0 && !link.greeted) step(Vouched{link.id});
    }
    if (which == 4) step(Crowded{});
    if (which == 1) step(Doom{{.code = Code::system, .reason = "fuzz"}});
    if (which != 2 || std::exchange(stopped_, true)) return;
    step(Stop{});
  }

  static Value hello(unsigned kind) {
    if (kind == 0x8F) return encode(wire::v0::Hello{});
    wire::ClientHello hello{
        .features = wire::feature_beats, .size = 3, .pid = 1, .left_ms = 20'000, .host = "h"};
    hello.ranks = {{kind % 4, 1 + kind / 4 % 2}};
    if ((kind & 8) != 0) hello.auth = wire::Auth::secret;
    if ((kind & 0x10) != 0) hello.size = 2;
    if ((kind & 0x20) != 0) hello.job = "other";
    if ((kind & 0xC0) == 0xC0) {
      hello.role = wire::Role::tool;
      hello.size = 0;
      hello.ranks.clear();
    }
    if ((kind & 0xC0) == 0x40) {
      hello.role = wire::Role::assigned;
      hello.ranks.clear();
    }
    return wire::encode(hello);
  }

  /// Of a peer that has the secret, or not.
  static Value proof(const Link& link, unsigned kind) {
    const wire::ProofKeys keys(the_secret(), "fuzz");
    Digest digest = wire::client_proof(keys, link.hello, link.server_hello);
    if ((kind & 1) != 0) digest[kind % digest.size()] ^= std::byte{1};
    return frame(wire::Type::proof, 0, wire::Proof{digest});
  }

  template <class Message>
  static Value frame(wire::Type type, unsigned sequence, const Message& message) {
    Value out;
    const std::size_t begun = wire::begin_frame(out);
    encode(message, out);
    wire::end_frame(out, begun, type, sequence);
    return out;
  }

  Value request() {
    const unsigned which = input_.u8();
    const unsigned detail = input_.u8();
    const unsigned sequence = ++sequence_;
    const std::string_view key = std::string_view("ab").substr(detail & 1, 1);
    const std::uint32_t wait_ms = (detail & 2) != 0 ? 0 : 500 * (1 + detail / 16);
    if ((which & 0x80) != 0) return version0_request(which, detail, key, wait_ms);
    switch (which % 16) {
      case 0:
        return frame(wire::Type::set, sequence, wire::SetRequest{key, to_value(key)});
      case 1:
        return frame(wire::Type::get, sequence, wire::GetRequest{key, wait_ms});
      case 2:
        return frame(wire::Type::add, sequence, wire::AddRequest{key, detail});
      case 3:
        return frame(wire::Type::remove, sequence, wire::RemoveRequest{key});
      case 4:
        return frame(wire::Type::status, sequence, wire::StatusRequest{detail & 3, detail / 16});
      case 5:
        return frame(wire::Type::fail, sequence, wire::FailRequest{3, "f"});
      case 6:
        return frame(wire::Type::leave, sequence, wire::LeaveRequest{wait_ms, (detail & 4) != 0});
      case 7:
        return frame(detail < 128 ? wire::Type::append : wire::Type::set_owned, sequence,
                     wire::AppendRequest{key, to_value(key)});
      case 8: {
        wire::CompareSetRequest swap{key, std::nullopt, as_bytes("c")};
        if ((detail & 4) != 0) swap.expected = as_bytes(key);
        return frame(wire::Type::compare_set, sequence, swap);
      }
      case 9:
        return frame(wire::Type::wait, sequence, wire::WaitRequest{wait_ms, {"a", key}});
      case 10:
        return frame(wire::Type::list, sequence, wire::ListRequest{"", key, detail / 16});
      case 11:
        return frame(wire::Type::watch, sequence, wire::WatchRequest{detail < 128 ? key : ""});
      case 12:
        return frame(wire::Type::unwatch, sequence, wire::UnwatchRequest{sequence - detail / 4});
      case 13:
        return several(sequence, detail, key);
      case 14:
        return group(sequence, detail);
      default:
        return arrive(sequence, detail, wait_ms);
    }
  }

  static Value several(unsigned sequence, unsigned detail, std::string_view key) {
    if (detail < 128) {
      return frame(wire::Type::multi_get, sequence, wire::MultiGetRequest{{key, "b"}});
    }
    return frame(wire::Type::multi_set, sequence,
                 wire::MultiSetRequest{{{"a", to_value(key)}, {key, {}}}});
  }

  static Value group(unsigned sequence, unsigned detail) {
    const std::uint64_t name = 1 + detail / 128;
    const unsigned rank = detail % 4;
    if ((detail & 4) != 0) {
      return frame(wire::Type::close_group, sequence, wire::CloseGroup{name, {rank}});
    }
    return frame(wire::Type::open_group, sequence,
                 wire::OpenGroup{name, {rank, (rank + 1 + (detail & 8) / 8) % 3}});
  }

  Value version0_request(unsigned which, unsigned detail, std::string_view key,
                         std::uint32_t wait_ms) {
    const wire::v0::Request requests[] = {
        wire::SetRequest{key, as_bytes(key)}, wire::GetRequest{key, wait_ms},
        wire::AddRequest{key, detail},        wire::RemoveRequest{key},
        wire::AppendRequest{key, {}},         wire::CompareSetRequest{key, {}, as_bytes(key)}};
    Value out;
    const std::size_t begun = wire::begin_frame(out);
    wire::v0::pack(requests[which % std::size(requests)], out);
    if (detail % 16 == 15) out.pop_back();
    wire::end_frame(out, begun, wire::Type{0}, sequence_);
    return out;
  }

  static Value arrive(unsigned sequence, unsigned detail, std::uint32_t wait_ms) {
    wire::Arrive arrive{.sequence = 1 + detail / 64, .left_ms = wait_ms};
    arrive.kind = static_cast<Kind>(1 + (detail >> 2) % 7);
    arrive.group = (detail >> 5) % 3;  // the world, and two subsets
    const bool brings = arrive.kind != Kind::barrier && (detail & 32) != 0;
    arrive.parts = {{detail % 4, as_bytes(brings ? std::string_view("payload") : "")}};
    return frame(wire::Type::arrive, sequence, arrive);
  }

  void receive(Link& link, const Value& bytes) { receive(link, Bytes(bytes)); }
  void receive(Link& link, Bytes bytes) {
    open(link);
    const std::size_t cut = std::min(std::exchange(cut_, 0), bytes.size());
    // Ranges of their own, so that a sanitizer sees a read past their ends.
    for (const Value& piece : {to_value(bytes.first(cut)), to_value(bytes.subspan(cut))}) {
      Bytes rest = piece;
      while (!rest.empty() && link.id != 0) {
        const std::size_t before = rest.size();
        step(Received{link.id, rest});
        rest = rest.last(untaken_);
        MUSTER_ASSERT(rest.size() < before);
      }
    }
  }

  void open(Link& link) {
    if (link.id != 0) return;
    link = Link{.id = ++last_link_};
    step(Opened{link.id, "10.0.0.1:4711"});
  }

  void close(Link& link) {
    if (link.id != 0) step(Closed{std::exchange(link.id, 0), "closed"});
  }

  void advance(Duration by) {
    now_ += std::max(by, Duration::zero());
    due();
  }

  void step(const Event& event) {
    happened(event);
    due();
  }

  /// A tick that leaves what is due would make a driver spin.
  void due() {
    const auto is_due = [&] { return core_.next_deadline() && *core_.next_deadline() <= now_; };
    for (int i = 0; i < 4 && is_due(); ++i) happened(Tick{});
    MUSTER_ASSERT(!is_due());
  }

  void happened(const Event& event) {
    actions_.clear();
    core_.step(event, now_, actions_);
    if (std::holds_alternative<Received>(event)) untaken_ = actions_.untaken;
    for (const Action& action : actions_.list) {
      if (const auto* send = std::get_if<Send>(&action)) sent(*send);
      if (const auto* close = std::get_if<Close>(&action)) {
        if (Link* link = find(close->link)) link->id = 0;
      }
    }
  }

  Link* find(LinkId id) {
    const auto found = std::ranges::find(links_, id, &Link::id);
    return found == links_.end() ? nullptr : &*found;
  }

  /// A hello first, then whole frames, each to an open link.
  void sent(const Send& send) {
    Value bytes = to_value(Bytes(actions_.bytes).subspan(send.offset, send.length));
    if (send.tail) bytes.insert(bytes.end(), send.tail->begin(), send.tail->end());
    Link* link = find(send.link);
    MUSTER_ASSERT(link != nullptr);
    Bytes frames = bytes;
    if (!link->greeted && as_text(bytes).starts_with("\x15\x03")) return;  // TLS is not for it
    if (!link->greeted) {
      link->greeted = true;
      link->version0 = bytes[0] == std::byte{0};
      const wire::HelloScan hello = wire::scan_server_hello(bytes);
      MUSTER_ASSERT(link->version0 || hello.state == wire::HelloState::complete);
      frames = frames.subspan(link->version0 ? wire::v0::hello_answer_bytes : hello.length);
      if (!link->version0) link->server_hello = to_value(Bytes(bytes).first(hello.length));
    }
    link->reader.feed(frames);
    wire::FrameHeader header;
    Bytes body;
    auto found = link->reader.next(header, body);
    while (found == wire::FrameReader::Found::frame) {
      if (link->version0) {
        MUSTER_ASSERT(static_cast<std::uint16_t>(header.type) == 0 && !body.empty());
      } else {
        MUSTER_ASSERT(header.result == 0 || wire::decode_failure(body).has_value());
      }
      found = link->reader.next(header, body);
    }
    MUSTER_ASSERT(found == wire::FrameReader::Found::more && link->reader.stored() == 0);
  }

  wire::Reader input_;
  SeededRandom random_{1};
  TimePoint now_ = TimePoint{} + 1h;
  Core core_;
  Actions actions_;
  std::array<Link, 4> links_;
  LinkId last_link_ = 0;
  unsigned sequence_ = 0;
  std::size_t cut_ = 0;
  std::size_t untaken_ = 0;  ///< of the last Received
  bool stopped_ = false;
};

}  // namespace
}  // namespace muster::fuzz

MUSTER_FUZZ_TARGET(server_core) {
  muster::fuzz::Plant(muster::wire::Reader(input)).run();
}
