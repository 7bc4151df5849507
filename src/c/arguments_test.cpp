#include "c/arguments.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

#include "base/limits.hpp"

namespace muster::c {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

constexpr TimePoint now{std::chrono::hours{1}};
constexpr Duration standard = 7s;

Duration left(double seconds) {
  Arguments given;
  const Deadline deadline = given.deadline(seconds);
  EXPECT_TRUE(given.good());
  return deadline.resolve(now, standard) - now;
}

TEST(Arguments, TimesAreSecondsAndNegativeOnesTheDefault) {
  EXPECT_EQ(left(0), 0s);
  EXPECT_EQ(left(1.5), 1500ms);
  EXPECT_EQ(left(-1), standard);
  EXPECT_EQ(left(-0.001), standard);
  EXPECT_EQ(left(1e300), Duration{limits::wait_max});
  EXPECT_EQ(left(std::numeric_limits<double>::infinity()), Duration{limits::wait_max});
}

TEST(Arguments, ATimeThatIsNoneIsRefused) {
  Arguments given;
  given.deadline(std::nan(""));
  ASSERT_FALSE(given.good());
  EXPECT_THAT(given.problem().text(), AllOf(HasSubstr("timeout is nan"), HasSubstr("seconds")));
}

TEST(Arguments, TheFirstProblemIsKept) {
  Arguments given;
  given.need("x", "good").need(nullptr, "job").need(nullptr, "key");
  ASSERT_FALSE(given.good());
  EXPECT_EQ(given.problem().code, Code::invalid_argument);
  EXPECT_THAT(given.problem().text(), HasSubstr("job is NULL"));
}

TEST(Arguments, BytesMayBeNullOnlyIfThereAreNone) {
  Arguments given;
  EXPECT_TRUE(given.bytes({nullptr, 0}, "value").empty());
  EXPECT_EQ(as_text(given.bytes({"abc", 2}, "value")), "ab");
  EXPECT_TRUE(given.good());
  given.bytes({nullptr, 1}, "value");
  EXPECT_THAT(given.problem().text(), HasSubstr("value is NULL"));
}

struct Some {
  std::size_t struct_size;
  int first;
  int second;
};
void init(Some* some, std::size_t size) {
  init_sized(some, size, Some{.first = 1, .second = 2});
}

TEST(Arguments, AnOlderProgramsOptionsKeepTheNewerOnesDefaults) {
  Some older{.struct_size = offsetof(Some, second), .first = 7, .second = 99};
  Arguments given;
  const Some whole = given.options(&older, init, "some");
  EXPECT_TRUE(given.good());
  EXPECT_EQ(whole.first, 7);
  EXPECT_EQ(whole.second, 2);
  init(&older, offsetof(Some, second));
  EXPECT_EQ(older.first, 1);
  EXPECT_EQ(older.second, 99) << "not the library's to write";
  EXPECT_EQ(given.options<Some>(nullptr, init, "some").second, 2);
}

TEST(Arguments, OptionsThatWereNotInitialisedAreRefused) {
  for (const std::size_t size : {std::size_t{0}, sizeof(Some) + 1, ~std::size_t{0}}) {
    const Some wrong{.struct_size = size, .first = 7, .second = 8};
    Arguments given;
    EXPECT_EQ(given.options(&wrong, init, "some").first, 1);
    ASSERT_FALSE(given.good());
    EXPECT_THAT(given.problem().text(),
                AllOf(HasSubstr("struct_size of some"), HasSubstr("init function")));
  }
}

}  // namespace
}  // namespace muster::c
