#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <variant>
#include <vector>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "group/call_check.hpp"
#include "plugin/invoke.hpp"
#include "plugin/rounds.hpp"
#include "server/core/peer.hpp"
#include "server/core/roster.hpp"
#include "server/core/rounds.hpp"
#include "wire/frame.hpp"
#include "wire/little_endian.hpp"
#include "wire/notices.hpp"
#include "wire/round_messages.hpp"

namespace muster::plugin {
namespace {

/// What the first allgather carries of each rank: the length of its message, and the message's
/// beginning. Most calls fit.
constexpr std::size_t head_bytes = 256;
constexpr std::size_t begun_bytes = head_bytes - sizeof(std::uint32_t);
/// An ARRIVE of the largest payload, with its label and token.
constexpr std::size_t message_bytes_max = limits::frame_body_bytes_max;

/// A link of the judge's: rank 0 has 1.
server::LinkId link_of(std::uint32_t rank) {
  return std::uint64_t{rank} + 1;
}

class AllgatherRounds : public RoundMaker {
 public:
  AllgatherRounds(const Session& session, const Place& place)
      : session_(session), place_(place), rounds_(limits::round_bytes_max) {
    roster_.set_size(place.size, {});
    rounds_.open_world(place.size);
  }

  Result<Parts> round(const Call& call, std::uint64_t sequence, TimePoint deadline) override {
    Value mine = message(call, sequence);
    auto heads = gather(mine, deadline);
    if (!heads) return std::move(heads).error();
    return judge(*heads);
  }

 private:
  Value message(const Call& call, std::uint64_t sequence) const {
    Value buffer;
    Value out;
    encode(wire::Arrive{.sequence = sequence,
                        .kind = call.kind,
                        .root = call.root,
                        .label = call.label,
                        .token = call.token,
                        .parts = {{place_.rank, joined(call, buffer)}}},
           out);
    return out;
  }

  Result<Value> allgather(Bytes mine, TimePoint deadline) const {
    Value all(mine.size() * place_.size);
    auto done = invoke(session_.name(), "allgather", [&](muster_plugin_error* error) {
      return session_.table().allgather(place_.group, mine.data(), mine.size(), all.data(),
                                        to_ns(deadline), error);
    });
    if (!done) return std::move(done).error();
    return all;
  }

  /// Every rank's message, in order of rank.
  Result<std::vector<Value>> gather(const Value& mine, TimePoint deadline) const {
    Value head(head_bytes);
    wire::put(head.data(), static_cast<std::uint32_t>(mine.size()));
    std::ranges::copy(Bytes(mine).first(std::min(mine.size(), begun_bytes)),
                      head.begin() + sizeof(std::uint32_t));
    auto heads = allgather(head, deadline);
    if (!heads) return std::move(heads).error();
    std::vector<std::size_t> lengths;
    for (std::uint32_t rank = 0; rank < place_.size; ++rank) {
      lengths.push_back(wire::get<std::uint32_t>(heads->data() + rank * head_bytes));
    }
    const std::size_t longest = *std::ranges::max_element(lengths);
    if (longest > message_bytes_max) {
      return broken_contract(session_.name(), "allgather", "gave what no rank has brought");
    }
    const bool fits = longest <= begun_bytes;
    Value padded = fits ? Value{} : mine;
    if (!fits) padded.resize(longest);
    auto wholes = fits ? std::move(heads) : allgather(padded, deadline);
    if (!wholes) return std::move(wholes).error();
    const std::size_t stride = fits ? head_bytes : longest;
    const std::size_t skipped = fits ? sizeof(std::uint32_t) : 0;
    std::vector<Value> messages;
    for (std::uint32_t rank = 0; rank < place_.size; ++rank) {
      messages.push_back(to_value(Bytes(*wholes).subspan(rank * stride + skipped, lengths[rank])));
    }
    return messages;
  }

  /// Has all arrive, in order of rank, and takes the answer to this one.
  Result<Parts> judge(const std::vector<Value>& messages) {
    server::Actions actions;
    server::Outbox out(actions);
    for (std::uint32_t rank = 0; rank < place_.size; ++rank) {
      server::Peer peer("");
      peer.admit({rank});
      const server::ReplyTo from{.link = link_of(rank), .type = wire::Type::arrive, .sequence = 1};
      rounds_.arrive(messages[rank], from, peer, roster_, {}, out);
    }
    for (const server::Action& action : actions.list) {
      const auto* send = std::get_if<server::Send>(&action);
      if (send != nullptr && send->link == link_of(place_.rank)) return answer(actions, *send);
    }
    return broken_contract(session_.name(), "allgather", "gave what no rank has brought");
  }

  static Result<Parts> answer(const server::Actions& actions, const server::Send& send) {
    Value frame = to_value(Bytes(actions.bytes).subspan(send.offset, send.length));
    if (send.tail) frame.insert(frame.end(), send.tail->begin(), send.tail->end());
    wire::FrameHeader header;
    MUSTER_ASSERT(frame.size() >= wire::header_bytes && wire::get_header(frame.data(), header));
    Value body(frame.begin() + wire::header_bytes, frame.end());
    if (header.result != 0) {
      const auto failure = wire::decode_failure(body);
      MUSTER_ASSERT(failure);
      return wire::to_error(*failure, Phase::operation);
    }
    auto parts = wire::decode_verdict(std::move(body));
    MUSTER_ASSERT(parts);
    return *std::move(parts);
  }

  const Session& session_;
  Place place_;
  server::Rounds rounds_;
  server::Roster roster_;
};

}  // namespace

std::unique_ptr<RoundMaker> make_allgather_rounds(const Session& session, const Place& place) {
  return std::make_unique<AllgatherRounds>(session, place);
}

}  // namespace muster::plugin
