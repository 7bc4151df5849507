#include "client/core/pending.hpp"

#include <utility>

#include "wire/notices.hpp"

namespace muster::client {
namespace {

void answer(Slot& slot, wire::Type type, Bytes body, std::optional<Code> failed) {
  slot.done = true;
  slot.reply = {type, failed.value_or(Code{}), failed.has_value(), to_value(body)};
}

}  // namespace

Ticket Pending::add(std::unique_ptr<Slot> slot) {
  Ticket ticket = static_cast<Ticket>(given_++);
  // Numbers come round after 2^32 requests: 0 stays the hello's, and old ones may still be open.
  while (given_ > 1 &&
         (ticket == muster_ticket || slots_.contains(ticket) || watches_.contains(ticket))) {
    ticket = static_cast<Ticket>(given_++);
  }
  slots_.emplace(ticket, std::move(slot));
  return ticket;
}

Ticket Pending::add_watch(std::unique_ptr<Slot> slot, OnPush on_push) {
  const Ticket ticket = add(std::move(slot));
  watches_.emplace(ticket, std::make_shared<Watch>(Watch{std::move(on_push)}));
  return ticket;
}

std::shared_ptr<Watch> Pending::end_watch(Ticket ticket) {
  const auto node = watches_.extract(ticket);
  if (!node) return nullptr;
  node.mapped()->ended = true;
  return node.mapped();
}

std::unique_ptr<Slot> Pending::remove(Ticket ticket) {
  const auto node = slots_.extract(ticket);
  return node ? std::move(node.mapped()) : nullptr;
}

Slot* Pending::find(Ticket ticket) {
  const auto found = slots_.find(ticket);
  return found == slots_.end() ? nullptr : found->second.get();
}

Pending::Outcome Pending::take(const wire::FrameHeader& header, Bytes body) {
  if (header.sequence == muster_ticket) return take_notice(header, body);
  return header.type == wire::Type::changed ? take_push(header) : take_reply(header, body);
}

Pending::Outcome Pending::take_notice(const wire::FrameHeader& header, Bytes body) {
  Slot* hello = find(muster_ticket);
  if (hello != nullptr && hello->done) hello = nullptr;

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
  } else {
    const auto failure = wire::decode_failure(body);
    if (!failure) return {Taken::broken};
    answer(*slot, header.type, body, failure->code);
  }
  return {Taken::answered, slot};
}

}  // namespace muster::client
