/// \file
/// For tests: a core on a virtual clock, and what its links were answered.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <muster/roster.hpp>

#include "base/random.hpp"
#include "server/core/core.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/notices.hpp"
#include "wire/round_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster::server {

/// Value. One frame that a link was sent.
struct Seen {
  LinkId link = 0;
  wire::Type type{};
  std::uint32_t sequence = 0;
  std::int16_t result = 0;
  Value body;

  Failure failure() const { return wire::decode_failure(body).value(); }
  bool operator==(const Seen&) const = default;
};

/// A frame, as a client sends it.
template <class Message>
Value make_frame(wire::Type type, std::uint32_t sequence, const Message& message) {
  Value out;
  const std::size_t begun = wire::begin_frame(out);
  encode(message, out);
  wire::end_frame(out, begun, type, sequence);
  return out;
}

/// All bytes of a Send.
inline Value bytes_of(const Send& send, const Actions& actions) {
  Value bytes = to_value(Bytes(actions.bytes).subspan(send.offset, send.length));
  if (send.tail) bytes.insert(bytes.end(), send.tail->begin(), send.tail->end());
  return bytes;
}

/// The frames among the actions, behind the server's hello if that is there.
inline std::vector<Seen> frames_of(const Actions& actions) {
  std::vector<Seen> frames;
  for (const Action& action : actions.list) {
    const auto* send = std::get_if<Send>(&action);
    if (send == nullptr) continue;
    const Value bytes = bytes_of(*send, actions);
    const auto hello = wire::scan_server_hello(bytes);
    const bool greets = hello.state == wire::HelloState::complete;
    wire::FrameReader reader;
    reader.feed(Bytes(bytes).subspan(greets ? hello.length : 0));
    wire::FrameHeader header;
    Bytes body;
    while (reader.next(header, body) == wire::FrameReader::Found::frame) {
      frames.push_back({send->link, header.type, header.sequence, header.result, to_value(body)});
    }
  }
  return frames;
}

template <class A>
std::size_t count_of(const Actions& actions) {
  std::size_t count = 0;
  for (const Action& action : actions.list) count += std::holds_alternative<A>(action) ? 1 : 0;
  return count;
}

/// Resource.
class CoreFixture {
 public:
  explicit CoreFixture(CoreOptions options) : core(with_names(std::move(options)), random_, now) {}

  /// What came of it; valid until the next step.
  std::vector<Seen> step(const Event& event) {
    actions.clear();
    core.step(event, now, actions);
    return frames_of(actions);
  }

  static Value hello_of(std::uint32_t rank, std::uint32_t size) {
    return wire::encode(wire::ClientHello{
        .size = size, .pid = 100 + rank, .left_ms = 60'000, .host = "h", .ranks = {{rank, 1}}});
  }
  /// Links 1 to `size` become ranks 0 to `size` - 1.
  void muster(std::uint32_t size) {
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      step(Opened{rank + 1, "unix"});
      const Value hello = hello_of(rank, size);
      step(Received{rank + 1, hello});
    }
  }
  template <class Message>
  std::vector<Seen> ask(LinkId link, wire::Type type, std::uint32_t sequence,
                        const Message& message) {
    const Value frame = make_frame(type, sequence, message);
    return step(Received{link, frame});
  }

  TimePoint now = TimePoint{} + std::chrono::hours{1};
  Actions actions;

 private:
  static CoreOptions with_names(CoreOptions options) {
    if (options.job.empty()) options.job = "demo";
    if (options.incarnation.number == 0) options.incarnation.number = 7;
    return options;
  }
  SeededRandom random_{1};

 public:
  Core core;
};

}  // namespace muster::server
