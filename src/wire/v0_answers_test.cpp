#include "wire/v0_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"
#include "wire/cursor.hpp"
#include "wire/exact_message.hpp"
#include "wire/notices.hpp"
#include "wire/store_messages.hpp"

namespace muster::wire::v0 {
namespace {

using testing::HasSubstr;

/// What a good answer becomes: its status, a space, and its whole body.
std::string good(Type type, const Value& head, const Value& tail = {}) {
  Value out;
  const Answer answer = translate(type, 0, head, tail, out);
  if (answer.with_tail) out.insert(out.end(), tail.begin(), tail.end());
  return std::to_string(static_cast<int>(answer.status)) + " " + std::string(as_text(out));
}

std::string bad(Code code, const std::string& reason, bool shared = false) {
  Value body;
  wire::encode(Failure{.code = code, .reason = reason}, body);
  Value out;
  const Answer answer = translate(Type::get, static_cast<std::int16_t>(code),
                                  shared ? Value{} : body, shared ? body : Value{}, out);
  EXPECT_FALSE(answer.with_tail);
  return std::to_string(static_cast<int>(answer.status)) + " " + std::string(as_text(out));
}

template <class Write>
Value written(Write&& write) {
  Value body;
  write(Writer(body));
  return body;
}

TEST(V0Answers, SayWhatTheReferenceSays) {
  EXPECT_EQ(good(Type::set, {}), "0 success");
  EXPECT_EQ(good(Type::remove, {std::byte{1}}), "0 success");
  EXPECT_EQ(good(Type::remove, {std::byte{0}}), "-404 not exist");
  EXPECT_EQ(good(Type::add, written([](Writer out) { out.i64(-2); })), "0 -2");
  EXPECT_EQ(good(Type::append, written([](Writer out) { out.u64(12); })), "0 12");
  EXPECT_EQ(bad(Code::not_found, "there is no key 'k'"), "-404 <not exist>");
  EXPECT_EQ(bad(Code::timeout, "nobody set key 'k'"), "-601 <timeout>");
}

TEST(V0Answers, ARequestAtFaultIsToldApartFromAJobInTrouble) {
  EXPECT_EQ(bad(Code::invalid_argument, "no number"), "-400 no number");
  EXPECT_EQ(bad(Code::limit, "too much"), "-400 too much");
  EXPECT_EQ(bad(Code::protocol, "invalid request"), "-400 invalid request");
  EXPECT_EQ(bad(Code::rank_lost, "rank 3 is lost"), "-1 rank 3 is lost");
  EXPECT_EQ(bad(Code::server_lost, "the server is stopping", true), "-1 the server is stopping");
  EXPECT_EQ(bad(Code::quota, "full"), "-1 full");
  EXPECT_EQ(bad(Code::rank_failed, ""), "-1 rank_failed") << "no body of 0 bytes: it would hang";
}

TEST(V0Answers, AValueTravelsPackedAndALargeOneUncopied) {
  for (const bool shared : {false, true}) {
    const Value value = to_value("hello");
    Value out;
    const Answer answer =
        translate(Type::get, 0, shared ? Value{} : value, shared ? value : Value{}, out);
    EXPECT_TRUE(answer.with_tail);
    EXPECT_EQ(out.size(), limits::v0_body_bytes_min + 8 + (shared ? 0 : 5));
    if (shared) out.insert(out.end(), value.begin(), value.end());
    EXPECT_EQ(as_text(unpack_value(out, Operation::get).value()), "hello");
    EXPECT_FALSE(unpack_value(out, Operation::compare_set));
  }
}

TEST(V0Answers, ACompareSetCarriesTheValueBefore) {
  Value body;
  wire::encode(CompareSetAnswer{.swapped = true, .before = as_bytes("v1")}, body);
  std::string text = good(Type::compare_set, body);
  ASSERT_TRUE(text.starts_with("0 "));
  EXPECT_EQ(as_text(*unpack_value(as_bytes(text).subspan(2), Operation::compare_set)), "v1");
  body.clear();
  wire::encode(CompareSetAnswer{.swapped = true, .before = std::nullopt}, body);
  text = good(Type::compare_set, body, to_value(""));
  EXPECT_EQ(unpack_value(as_bytes(text).subspan(2), Operation::compare_set)->size(), 0U);
}

TEST(V0Answers, AValueOverTheFrameIsRefusedByName) {
  const Value most(limits::v0_value_bytes_max);
  Value out;
  EXPECT_EQ(translate(Type::get, 0, {}, most, out).status, Status::success);
  EXPECT_EQ(out.size() + most.size(), limits::v0_frame_body_bytes_max);
  const Value over(limits::v0_value_bytes_max + 1);
  out.clear();
  const Answer answer = translate(Type::get, 0, {}, over, out);
  EXPECT_EQ(answer.status, Status::invalid_message);
  EXPECT_FALSE(answer.with_tail);
  EXPECT_EQ(as_text(out),
            "the value has 10485719 bytes, an answer of version 0 carries at most 10485718");
}

TEST(V0Answers, NumbersAreReadWhole) {
  EXPECT_EQ(unpack_number(as_bytes("-2")), -2);
  EXPECT_EQ(unpack_number(as_bytes("12")), 12);
  for (const char* text : {"", "-", "1x", " 1", "9223372036854775808"}) {
    EXPECT_FALSE(unpack_number(as_bytes(text))) << text;
  }
}

TEST(V0Answers, ABadAnswerKeepsItsNumberAndText) {
  const Error error = to_error(-404, as_bytes("<not exist>"));
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_THAT(error.what, HasSubstr("-404 '<not exist>'"));
  EXPECT_EQ(to_error(-601, {}).code, Code::timeout);
  EXPECT_EQ(to_error(-400, {}).code, Code::invalid_argument);
  EXPECT_EQ(to_error(-401, {}).code, Code::invalid_argument);
  EXPECT_EQ(to_error(-1, {}).code, Code::invalid_state);
  EXPECT_EQ(to_error(-602, {}).code, Code::server_lost);
  EXPECT_EQ(to_error(77, as_bytes("a\nb")).code, Code::protocol);
  EXPECT_THAT(to_error(77, as_bytes("a\nb")).what, HasSubstr("77 'a\\x0ab'"));
}

}  // namespace
}  // namespace muster::wire::v0
