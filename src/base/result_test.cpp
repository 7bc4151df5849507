#include <gmock/gmock.h>
#include <memory>
#include <set>
#include <string>

#include <muster/result.hpp>

namespace muster {
namespace {

using testing::HasSubstr;
using testing::Not;

Error timeout() {
  return Error{.code = Code::timeout, .what = "key 'a' was not set"};
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  EXPECT_TRUE(good.ok());
  EXPECT_TRUE(good);
  EXPECT_EQ(good.value(), 7);
  EXPECT_EQ(*good, 7);

  const Result<int> bad = timeout();
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::timeout);
}

TEST(Result, ThrowsWhatWentWrongWhenAskedForAValue) {
  Result<std::string> bad = timeout();
  EXPECT_THROW(bad.value(), Failed);
  EXPECT_THROW(*bad, Failed);
  EXPECT_THROW(bad->size(), Failed);
  const Result<void> nothing = timeout();
  try {
    nothing.value();
    FAIL() << "value() of a failed result returned";
  } catch (const Failed& failed) {
    EXPECT_EQ(failed.error().code, Code::timeout);
    EXPECT_EQ(std::string(failed.what()), timeout().text());
  }
}

TEST(Result, AskingAGoodOneForItsErrorThrows) {
  const Result<int> good = 7;
  EXPECT_THROW(good.error(), std::bad_variant_access);
  const Result<void> nothing;
  EXPECT_THROW(nothing.error(), std::bad_variant_access);
  EXPECT_NO_THROW(nothing.value());
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Result, MayHoldAnErrorAsAValueOfItsOwnKind) {
  // A Result<Code> is good although it names a failure.
  const Result<Code> good = Code::timeout;
  EXPECT_TRUE(good.ok());
}

TEST(Code, NumbersAreForever) {
  EXPECT_EQ(static_cast<int>(Code::invalid_argument), 1);
  EXPECT_EQ(static_cast<int>(Code::refused), 4);
  EXPECT_EQ(static_cast<int>(Code::server_lost), 11);
  EXPECT_EQ(static_cast<int>(Code::contract_mismatch), 17);
  EXPECT_EQ(static_cast<int>(Code::system), 18);
  EXPECT_EQ(static_cast<int>(Code::unsupported), 19);
}

TEST(Code, HasANameOfItsOwn) {
  std::set<std::string> names;
  for (int number = 1; number <= 19; ++number) names.insert(name(static_cast<Code>(number)));
  EXPECT_EQ(names.size(), 19U);
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_STREQ(name(static_cast<Code>(0)), "unknown");
  EXPECT_STREQ(name(static_cast<Code>(20)), "unknown");
}

TEST(Phase, HasANameOfItsOwn) {
  std::set<std::string> names;
  for (int number = 0; number <= 7; ++number) names.insert(name(static_cast<Phase>(number)));
  EXPECT_EQ(names.size(), 8U);
  EXPECT_STREQ(name(static_cast<Phase>(8)), "unknown");
}

TEST(RankName, SaysWhatIsKnown) {
  EXPECT_EQ((RankName{.rank = 3, .host = "node7", .pid = 4711, .detail = "killed"}).text(),
            "rank 3 (host node7, pid 4711): killed");
  EXPECT_EQ((RankName{.rank = 3}).text(), "rank 3");
  EXPECT_EQ((RankName{.host = "node7", .pid = 4711}).text(), "a process (host node7, pid 4711)");
  EXPECT_EQ((RankName{.rank = 0, .detail = "never came"}).text(), "rank 0: never came");
}

TEST(Error, TextHasEverythingInOneLine) {
  const Error error{.code = Code::unreachable,
                    .phase = Phase::connect,
                    .what = "nobody listens",
                    .advice = "start the server first",
                    .local = "127.0.0.1:5000",
                    .remote = "127.0.0.1:4711",
                    .elapsed = std::chrono::milliseconds{1500}};
  EXPECT_EQ(error.text(),
            "unreachable: nobody listens [peer 127.0.0.1:4711] [here 127.0.0.1:5000] "
            "[while: connect] [after 1.500 s] (start the server first)");
}

TEST(Error, TextIsNeverEmpty) {
  EXPECT_EQ(Error{}.text(), "system: no detail");
}

TEST(Error, TextHoldsNoControlCharacterWhateverAPeerSent) {
  const std::string evil = "a\x1b[31mb\nc\x7f";
  const Error error{.what = evil, .advice = evil, .local = evil, .remote = evil};
  for (const char c : error.text()) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
  EXPECT_THAT(error.text(), Not(HasSubstr("\x7f")));
  const RankName rank{.rank = 1, .host = evil, .pid = 1, .detail = evil};
  for (const char c : rank.text()) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
}

}  // namespace
}  // namespace muster
