#include <gmock/gmock.h>
#include <set>
#include <string>

#include <muster/ids.hpp>

namespace muster {
namespace {

using testing::HasSubstr;

TEST(Epoch, IsItsText) {
  const std::string text = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  const Result<Epoch> epoch = Epoch::parse(text);
  ASSERT_TRUE(epoch);
  EXPECT_EQ(epoch->text(), text);
  EXPECT_EQ(epoch->bytes[0], std::byte{0x01});
  EXPECT_EQ(epoch->bytes[31], std::byte{0xef});
}

TEST(Epoch, HasOneTextOnly) {
  const std::string good(64, 'a');
  for (const std::string& text :
       {std::string(), good.substr(1), good + "a", std::string(64, 'A'), " " + good.substr(1)}) {
    const Result<Epoch> epoch = Epoch::parse(text);
    ASSERT_FALSE(epoch) << text;
    EXPECT_EQ(epoch.error().code, Code::invalid_argument);
    EXPECT_THAT(epoch.error().what, HasSubstr("64 characters of 0-9a-f"));
  }
  EXPECT_THAT(Epoch::parse("xyz").error().what, HasSubstr("'xyz'"));
}

TEST(Epoch, RandomOnesDiffer) {
  EXPECT_NE(Epoch::random(), Epoch::random());
}

TEST(Incarnation, IsItsText) {
  const Result<Incarnation> one = Incarnation::parse("0000000000000001");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->number, 1U);
  EXPECT_EQ(one->text(), "0000000000000001");
  const Result<Incarnation> last = Incarnation::parse("ffffffffffffffff");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->text(), "ffffffffffffffff");
  EXPECT_EQ(Incarnation::parse("0123456789abcdef")->number, 0x0123456789abcdefU);
}

TEST(Incarnation, RefusesWhatIsNone) {
  for (const char* text : {"", "1", "000000000000001", "00000000000000001", "0000000000000000",
                           "000000000000000A", "000000000000000g"}) {
    const Result<Incarnation> incarnation = Incarnation::parse(text);
    ASSERT_FALSE(incarnation) << text;
    EXPECT_EQ(incarnation.error().code, Code::invalid_argument);
    EXPECT_THAT(incarnation.error().what, HasSubstr("16 characters of 0-9a-f"));
  }
}

TEST(Incarnation, RandomOnesDifferAndAreNotZero) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(Incarnation::random().number);
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_EQ(seen.count(0), 0U);
}

TEST(JobId, Good) {
  for (const std::string& job :
       {std::string("a"), std::string("7"), std::string("Job_1.2-x"), std::string(64, 'z')}) {
    EXPECT_TRUE(check_job_id(job)) << job;
  }
}

TEST(JobId, Bad) {
  for (const std::string& job :
       {std::string(), std::string(65, 'z'), std::string(".a"), std::string("-a"),
        std::string("_a"), std::string("a b"), std::string("a/b"), std::string("a\n"),
        std::string("\xc3\xa4"), std::string("a\0b", 3)}) {
    const Result<void> checked = check_job_id(job);
    ASSERT_FALSE(checked) << job;
    EXPECT_EQ(checked.error().code, Code::invalid_argument);
    EXPECT_THAT(checked.error().text(), HasSubstr("1 to 64 characters"));
  }
}

TEST(JobId, RandomOnesAreGoodAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string job = random_job_id();
    EXPECT_TRUE(check_job_id(job)) << job;
    EXPECT_EQ(job.size(), 12U);
    seen.insert(job);
  }
  EXPECT_EQ(seen.size(), 1000U);
}

}  // namespace
}  // namespace muster
