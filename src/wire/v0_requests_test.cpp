#include "wire/v0_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "base/limits.hpp"
#include "wire/exact_message.hpp"
#include "wire/v0_body.hpp"

namespace muster::wire::v0 {
namespace {

using testing::HasSubstr;

Value packed(const Request& request) {
  Value out;
  pack(request, out);
  EXPECT_EQ(out.size(), packed_bytes(request));
  return out;
}

Value packed(const Body& body) {
  Value out;
  pack(body, out);
  return out;
}

std::string refusal(const Body& body) {
  const auto request = unpack_request(packed(body));
  if (request) return "taken";
  EXPECT_EQ(request.error().code, Code::protocol);
  return request.error().what;
}

TEST(V0Requests, EveryRequestComesBackAsItWas) {
  Value bytes = packed(SetRequest{"k", as_bytes("v")});
  EXPECT_EQ(as_text(std::get<SetRequest>(*unpack_request(bytes)).value), "v");
  bytes = packed(GetRequest{"k", 1500});
  EXPECT_EQ(std::get<GetRequest>(*unpack_request(bytes)).wait_ms, 1500U);
  bytes = packed(AddRequest{"k", std::numeric_limits<std::int64_t>::min()});
  EXPECT_EQ(std::get<AddRequest>(*unpack_request(bytes)).delta,
            std::numeric_limits<std::int64_t>::min());
  bytes = packed(RemoveRequest{"k"});
  EXPECT_EQ(std::get<RemoveRequest>(*unpack_request(bytes)).key, "k");
  bytes = packed(AppendRequest{"k", as_bytes("more")});
  EXPECT_EQ(as_text(std::get<AppendRequest>(*unpack_request(bytes)).value), "more");
  bytes = packed(CompareSetRequest{"k", as_bytes("old"), as_bytes("new")});
  const auto swap = std::get<CompareSetRequest>(*unpack_request(bytes));
  EXPECT_EQ(as_text(*swap.expected), "old");
  EXPECT_EQ(as_text(swap.desired), "new");
}

TEST(V0Requests, HaveTheTypesOfVersion1) {
  EXPECT_EQ(type_of(SetRequest{}), Type::set);
  EXPECT_EQ(type_of(GetRequest{}), Type::get);
  EXPECT_EQ(type_of(AddRequest{}), Type::add);
  EXPECT_EQ(type_of(RemoveRequest{}), Type::remove);
  EXPECT_EQ(type_of(AppendRequest{}), Type::append);
  EXPECT_EQ(type_of(CompareSetRequest{}), Type::compare_set);
}

TEST(V0Requests, AWaitBeyond31BitsIsOneForEver) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();
  const auto word = [](std::uint32_t wait_ms) {
    return unpack(packed(GetRequest{"k", wait_ms}))->user_word;
  };
  EXPECT_EQ(word(static_cast<std::uint32_t>(int_max)), int_max);
  EXPECT_EQ(word(static_cast<std::uint32_t>(int_max) + 1), -1);
  EXPECT_EQ(word(most), -1);
  const auto wait = [](std::int64_t user_word) {
    const Value bytes = packed(Body{user_word, Operation::get, {"k"}, {}});
    return std::get<GetRequest>(*unpack_request(bytes)).wait_ms;
  };
  EXPECT_EQ(wait(0), 0U);
  EXPECT_EQ(wait(int_max + 1), static_cast<std::uint32_t>(int_max) + 1);
  EXPECT_EQ(wait(-1), most);
  EXPECT_EQ(wait(std::numeric_limits<std::int64_t>::min()), most);
  EXPECT_EQ(wait(std::numeric_limits<std::int64_t>::max()), most);
}

TEST(V0Requests, AnEmptyExpectationIsNone) {
  const Value none = packed(CompareSetRequest{"k", std::nullopt, as_bytes("v")});
  EXPECT_EQ(none, packed(CompareSetRequest{"k", Bytes{}, as_bytes("v")}));
  EXPECT_FALSE(std::get<CompareSetRequest>(*unpack_request(none)).expected);
}

TEST(V0Requests, RefusesInTheWordsOfTheReferenceWhereItHasSome) {
  EXPECT_EQ(refusal({-1, static_cast<Operation>(6), {"k"}, {}}), "invalid request message type");
  EXPECT_EQ(refusal({-1, static_cast<Operation>(-1), {"k"}, {}}), "invalid request message type");
  EXPECT_EQ(refusal({-1, Operation::set, {"k"}, {}}), "invalid request: key value should be one");
  EXPECT_EQ(refusal({-1, Operation::get, std::vector<std::string_view>(11, "k"), {}}),
            "invalid request");
}

TEST(V0Requests, EveryOperationWantsItsNumberOfKeysAndValues) {
  EXPECT_THAT(refusal({0, Operation::get, {}, {}}), HasSubstr("GET takes one key and 0 values"));
  EXPECT_THAT(refusal({0, Operation::get, {"k"}, {Bytes{}}}), HasSubstr("not 1 and 1"));
  EXPECT_THAT(refusal({0, Operation::add, {"k"}, {}}), HasSubstr("ADD takes one key and 1 values"));
  EXPECT_THAT(refusal({0, Operation::remove, {"k", "l"}, {}}), HasSubstr("not 2 and 0"));
  EXPECT_THAT(refusal({0, Operation::append, {"k"}, {Bytes{}, Bytes{}}}), HasSubstr("APPEND"));
  EXPECT_THAT(refusal({0, Operation::compare_set, {"k"}, {Bytes{}}}),
              HasSubstr("CAS takes one key and 2 values, not 1 and 1"));
}

TEST(V0Requests, ADeltaHasOneForm) {
  for (const char* text : {"0", "-7", "5", "9223372036854775807", "-9223372036854775808"}) {
    EXPECT_EQ(refusal({-1, Operation::add, {"k"}, {as_bytes(text)}}), "taken") << text;
  }
  for (const char* text : {"", "-", "007", "+5", " 5", "5 ", "-0", "5x", "x", "1.5", "0x5",
                           "9223372036854775808", "99999999999999999999"}) {
    EXPECT_THAT(refusal({-1, Operation::add, {"k"}, {as_bytes(text)}}),
                HasSubstr("a decimal integer of 64 bits, not '" + std::string(text)))
        << text;
  }
}

TEST(V0Requests, SurviveNoise) {
  const Value body = packed(CompareSetRequest{"key", as_bytes("one"), as_bytes("two")});
  survive_noise(body, [](Bytes noise) { return unpack_request(noise).ok(); });
}

}  // namespace
}  // namespace muster::wire::v0
