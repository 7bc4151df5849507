#include "client/core/pending.hpp"

#include <algorithm>
#include <utility>

#include "wire/notices.hpp"

namespace muster::client {
namespace {

void answer(Slot& slot, wire::Type type, Bytes body, std::optional<Code> failed) {
  slot.done = true;
  slot.reply = {type, failed.value_or(Code{}), failed.has_value(), to_value(body)};
}

}  // namespace

Ticket Pending::add() {
  if (2 * (size_ + 1) > places_.size()) grow();
  const bool hello = given_ == 0;
  Ticket ticket = static_cast<Ticket>(given_++);
  // Numbers come round after 2^32 requests: 0 stays the hello's, and a watch may still be open.
  while ((ticket == muster_ticket && !hello) || place(ticket).slot ||
         (!watches_.empty() && watches_.contains(ticket))) {
    ticket = static_cast<Ticket>(given_++);
  }
  Place& taken = place(ticket);
  taken.ticket = ticket;
  if (spare_.empty()) {
    taken.slot = make_();
  } else {
    taken.slot = std::move(spare_.back());
    spare_.pop_back();
  }
  ++size_;
  return ticket;
}

/// Tickets that differ in their low bits also do so in one bit more.
void Pending::grow() {
  constexpr std::size_t least = 8;
  std::vector<Place> before(std::max(least, 2 * places_.size()));
  before.swap(places_);
  for (Place& each : before) {
    if (each.slot) place(each.ticket) = std::move(each);
  }
}

Ticket Pending::add_watch(OnPush on_push) {
  const Ticket ticket = add();
  watches_.emplace(ticket, std::make_shared<Watch>(Watch{std::move(on_push)}));
  return ticket;
}

std::shared_ptr<Watch> Pending::end_watch(Ticket ticket) {
  const auto node = watches_.extract(ticket);
  if (!node) return nullptr;
  node.mapped()->ended = true;
  return node.mapped();
}

std::optional<Reply> Pending::remove(Ticket ticket) {
  Slot* const slot = find(ticket);
  if (slot == nullptr) return std::nullopt;
  std::optional<Reply> answer;
  if (std::exchange(slot->done, false)) answer = std::exchange(slot->reply, Reply{});
  spare_.push_back(std::move(place(ticket).slot));
  --size_;
  return answer;
}

Slot* Pending::find(Ticket ticket) {
  if (places_.empty()) return nullptr;
  const Place& found = place(ticket);
  return found.slot && found.ticket == ticket ? found.slot.get() : nullptr;
}

Pending::Outcome Pending::take(const wire::FrameHeader& header, Bytes body) {
  if (header.sequence == muster_ticket) return take_notice(header, body);
  return header.type == wire::Type::changed ? take_push(header) : take_reply(header, body);
}

Pending::Outcome Pending::take_notice(const wire::FrameHeader& header, Bytes body) {
  Slot* hello = find(muster_ticket);
  if (hello != nullptr && hello->done) hello = nullptr;

  if (header.type == wire::Type::beat && body.empty()) return {Taken::unclaimed};
  if (header.type == wire::Type::mustered && body.empty()) {
    if (hello == nullptr) return {Taken::unclaimed};
    answer(*hello, header.type, body, std::nullopt);
    return {Taken::answered, hello};
  }
  const bool bad_news =
      header.type == wire::Type::doomed || header.type == wire::Type::server_leaving;
  auto failure = bad_news ? wire::decode_failure(body) : std::nullopt;
  if (!failure) return {Taken::broken};
  if (hello != nullptr) answer(*hello, header.type, body, failure->code);
  return {Taken::notice, hello, std::move(failure)};
}

Pending::Outcome Pending::take_push(const wire::FrameHeader& header) {
  const auto found = watches_.find(header.sequence);
  if (found != watches_.end()) return {.taken = Taken::pushed, .watch = found->second};
  return {header.sequence < given_ ? Taken::unclaimed : Taken::broken};
}

Pending::Outcome Pending::take_reply(const wire::FrameHeader& header, Bytes body) {
  Slot* slot = find(header.sequence);
  if (slot == nullptr) {
    return {header.sequence < given_ ? Taken::unclaimed : Taken::broken};
  }
  if (slot->done) return {Taken::broken};
  if (header.result == 0) {
    answer(*slot, header.type, body, std::nullopt);
  } else if (bad_answers_ == BadAnswers::raw) {
    answer(*slot, header.type, body, Code{header.result});
  } else {
    const auto failure = wire::decode_failure(body);
    if (!failure) return {Taken::broken};
    answer(*slot, header.type, body, failure->code);
  }
  return {Taken::answered, slot};
}

}  // namespace muster::client
