// What an admitted client's server says: frames, answered or not, in any order. The first byte is
// how many requests are in flight, the next one those that were given up.

#include "client/core/pending.hpp"

#include "fuzz/target.hpp"
#include "wire/cursor.hpp"

using namespace muster;
using client::Pending;

namespace {

/// What a driver relies on.
void must_hold(Pending& pending, const Pending::Outcome& outcome, const wire::FrameHeader& header) {
  using Taken = Pending::Taken;
  if (outcome.slot != nullptr) {
    MUSTER_ASSERT(outcome.slot == pending.find(header.sequence) && outcome.slot->done);
  }
  MUSTER_ASSERT((outcome.taken == Taken::answered) <= (outcome.slot != nullptr));
  MUSTER_ASSERT((outcome.taken == Taken::notice) == outcome.failure.has_value());
  if (outcome.slot != nullptr && outcome.slot->reply.failed) {
    const auto reply = client::open_reply(outcome.slot->reply, header.type);
    MUSTER_ASSERT(!reply.ok() && !reply.error().text().empty());
  }
}

}  // namespace

MUSTER_FUZZ_TARGET(pending) {
  wire::Reader reader(input);
  Pending pending(client::make_slot<client::Slot>);
  const unsigned in_flight = reader.u8() % 8U;
  for (unsigned i = 0; i < in_flight; ++i) pending.add();
  const unsigned given_up = reader.u8();
  for (unsigned i = 0; i < in_flight; ++i) {
    if ((given_up >> i & 1U) != 0) pending.remove(i);
  }
  const std::size_t slots = pending.size();

  wire::FrameReader frames;
  frames.feed(reader.rest());
  wire::FrameHeader header;
  Bytes body;
  while (frames.next(header, body) == wire::FrameReader::Found::frame) {
    const Pending::Outcome outcome = pending.take(header, body);
    must_hold(pending, outcome, header);
    if (outcome.taken == Pending::Taken::broken) break;
  }
  MUSTER_ASSERT(pending.size() == slots);
  std::size_t open = 0;
  pending.each_open([&](client::Slot&) { ++open; });
  MUSTER_ASSERT(open <= slots);
}
