#include "server/core/outbox.hpp"

#include <fmt/format.h>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "server/core/wording.hpp"
#include "wire/notices.hpp"
#include "wire/v0_answers.hpp"

namespace muster::server {
namespace {

constexpr std::size_t bytes_a_unit = 256;

}  // namespace

SharedFailure share(const Failure& failure) {
  Value body;
  wire::encode(failure, body);
  return {failure.code, std::make_shared<const Value>(std::move(body))};
}

Failure to_failure(Error error) {
  return Failure{.code = error.code,
                 .reason = std::move(error.what),
                 .advice = std::move(error.advice),
                 .who = std::move(error.ranks),
                 .exit_code = error.exit_code};
}

void Outbox::empty(const ReplyTo& to) {
  written(to, [](Value&) {});
}

void Outbox::body(const ReplyTo& to, Bytes body) {
  written(to, [&](Value& out) { out.insert(out.end(), body.begin(), body.end()); });
}

void Outbox::fail(const ReplyTo& to, const Failure& failure) {
  const std::size_t begun = wire::begin_frame(actions_.bytes);
  wire::encode(failure, actions_.bytes);
  finish(to, static_cast<std::int16_t>(failure.code), begun, nullptr);
}

void Outbox::fail(const ReplyTo& to, Code code, std::string reason) {
  fail(to, Failure{.code = code, .reason = std::move(reason)});
}

void Outbox::fail(const ReplyTo& to, const SharedFailure& failure) {
  tailed(to, static_cast<std::int16_t>(failure.code), failure.body);
}

void Outbox::malformed(const ReplyTo& to, std::size_t body_bytes) {
  fail(to, Code::protocol,
       fmt::format("malformed {} with a body of {} bytes", message_text(to.type), body_bytes));
}

void Outbox::raw(LinkId link, Bytes bytes) {
  const std::size_t begun = actions_.bytes.size();
  actions_.bytes.insert(actions_.bytes.end(), bytes.begin(), bytes.end());
  sent(link, begun);
}

void Outbox::beat(const std::set<LinkId>& links) {
  const std::size_t begun = wire::begin_frame(actions_.bytes);
  wire::end_frame(actions_.bytes, begun, wire::Type::beat, 0);
  for (const LinkId link : links) {
    actions_.list.emplace_back(Send{link, begun, wire::header_bytes, nullptr});
  }
}

void Outbox::tailed(const ReplyTo& to, std::int16_t result, const Shared& body) {
  finish(to, result, wire::begin_frame(actions_.bytes), body);
}

void Outbox::finish(const ReplyTo& to, std::int16_t result, std::size_t begun, const Shared& tail) {
  Value& bytes = actions_.bytes;
  const std::size_t body = begun + wire::header_bytes;
  wire::FrameHeader header{to.type, result, 0, to.sequence};
  bool with_tail = tail != nullptr;
  if (to.version0) {
    const Value head = to_value(Bytes(bytes).subspan(body));
    bytes.resize(body);
    const auto answer = wire::v0::translate(to.type, result, head, tail ? *tail : Bytes{}, bytes);
    header.type = wire::Type{wire::v0::frame_type};
    header.result = static_cast<std::int16_t>(answer.status);
    with_tail = with_tail && answer.with_tail;
  }
  const std::size_t length = bytes.size() - body + (with_tail ? tail->size() : 0);
  MUSTER_ASSERT(length <= limits::frame_body_bytes_max);
  header.length = static_cast<std::uint32_t>(length);
  wire::put_header(bytes.data() + begun, header);
  sent(to.link, begun, with_tail ? tail : nullptr);
}

void Outbox::sent(LinkId link, std::size_t begun, Shared tail) {
  const std::size_t length = actions_.bytes.size() - begun;
  spend(1 + (length + (tail ? tail->size() : 0)) / bytes_a_unit);
  if (!actions_.list.empty()) {
    auto* last = std::get_if<Send>(&actions_.list.back());
    const bool joins = last != nullptr && last->link == link && !last->tail &&
                       last->offset + last->length == begun;
    if (joins) {
      last->length += length;
      last->tail = std::move(tail);
      return;
    }
  }
  actions_.list.emplace_back(Send{link, begun, length, std::move(tail)});
}

}  // namespace muster::server
