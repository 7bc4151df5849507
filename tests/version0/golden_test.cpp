// Every captured message through the translator, byte for byte, both ways.
#include <gtest/gtest.h>
#include <string>

#include <muster/digest.hpp>
#include <muster/roster.hpp>

#include "sessions.hpp"
#include "wire/cursor.hpp"
#include "wire/notices.hpp"
#include "wire/v0.hpp"
#include "wire/v0_answers.hpp"
#include "wire/v0_requests.hpp"

namespace muster::version0 {
namespace {

namespace v0 = wire::v0;

bool is_closed(const Session& session) {
  return session.steps.back().bytes.empty();
}

TEST(Golden, HellosAreTheReferencesButForItsPadding) {
  std::size_t seen = 0;
  for (const Session& session : sessions()) {
    std::string hello = session.steps.at(0).bytes;
    ASSERT_EQ(hello.size(), v0::hello_bytes) << session.name;
    const auto decoded = v0::decode_hello(as_bytes(hello));
    ASSERT_TRUE(decoded) << session.name;
    EXPECT_EQ(decoded->rank, 1U);
    std::fill(hello.begin() + 4, hello.begin() + 8, '\0');
    EXPECT_EQ(to_hex(encode(*decoded)), to_hex(as_bytes(hello))) << session.name;
    if (is_closed(session)) continue;
    EXPECT_EQ(to_hex(v0::hello_answer()), to_hex(as_bytes(session.steps.at(1).bytes)));
    ++seen;
  }
  EXPECT_EQ(seen, 15U);
}

TEST(Golden, RequestsDecodeAndEncode) {
  std::size_t seen = 0;
  for (const Session& session : sessions()) {
    if (is_closed(session)) continue;
    for (const Session::Frame& frame : session.frames(true)) {
      EXPECT_EQ(static_cast<int>(frame.header.type), v0::frame_type) << session.name;
      const auto request = v0::unpack_request(frame.body);
      ASSERT_TRUE(request) << session.name << ": " << request.error().text();
      Value again;
      v0::pack(*request, again);
      EXPECT_EQ(to_hex(again), to_hex(frame.body)) << session.name;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 20U);
}

/// A version 1 answer to a request of `type` that says what `frame` says: its code and its body.
struct Answer {
  std::int16_t code = 0;
  Value body;
};

Answer failure(Code code) {
  Answer answer{static_cast<std::int16_t>(code), {}};
  wire::encode(Failure{.code = code, .reason = "in other words"}, answer.body);
  return answer;
}

Answer as_version1(wire::Type type, const Session::Frame& frame) {
  const auto status = static_cast<v0::Status>(frame.header.result);
  if (status == v0::Status::timeout) return failure(Code::timeout);
  Answer answer;
  wire::Writer writer(answer.body);
  switch (type) {
    case wire::Type::get:
      if (status == v0::Status::not_exist) return failure(Code::not_found);
      writer.bytes(v0::unpack_value(frame.body, v0::Operation::get).value());
      break;
    case wire::Type::compare_set:
      writer.boolean(true);
      writer.boolean(true);
      writer.bytes(v0::unpack_value(frame.body, v0::Operation::compare_set).value());
      break;
    case wire::Type::add:
    case wire::Type::append:
      writer.i64(v0::unpack_number(frame.body).value());
      break;
    case wire::Type::remove:
      writer.boolean(status == v0::Status::success);
      break;
    default:
      break;
  }
  return answer;
}

TEST(Golden, AnswersDecodeAndEncode) {
  std::size_t seen = 0;
  for (const Session& session : sessions()) {
    if (is_closed(session)) continue;
    const auto requests = session.frames(true);
    const auto answers = session.frames(false);
    ASSERT_EQ(requests.size(), answers.size()) << session.name;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const wire::Type type = v0::type_of(v0::unpack_request(requests[i].body).value());
      const Answer answer = as_version1(type, answers[i]);
      Value body;
      const auto made = v0::translate(type, answer.code, answer.body, {}, body);
      EXPECT_EQ(static_cast<int>(made.status), answers[i].header.result) << session.name;
      EXPECT_EQ(to_hex(body), to_hex(answers[i].body)) << session.name;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 20U);
}

}  // namespace
}  // namespace muster::version0
