#include "job/liveness.hpp"

#include <gmock/gmock.h>

#include "base/limits.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Liveness, AHeartbeatIsSecondsOrNone) {
  EXPECT_EQ(parse_heartbeat("2").value(), 2s);
  EXPECT_EQ(parse_heartbeat("0.25").value(), 250ms);
  EXPECT_EQ(parse_heartbeat("0").value(), 0s);
  EXPECT_EQ(parse_heartbeat("0.01").value(), limits::heartbeat_min);
  EXPECT_EQ(parse_heartbeat("3600").value(), limits::heartbeat_max);
}

TEST(Liveness, AnythingElseIsRefusedAndQuoted) {
  for (const char* text : {"", "fast", "-1", "2s", "nan", "inf", "0.009", "3600.1", "1e300"}) {
    const auto parsed = parse_heartbeat(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::invalid_argument);
    EXPECT_THAT(parsed.error().text(), HasSubstr("0.01 to 3600 seconds, or 0")) << text;
  }
  EXPECT_FALSE(check_heartbeat(limits::heartbeat_max + 1ns));
  EXPECT_FALSE(check_heartbeat(limits::heartbeat_min - 1ns));
  EXPECT_FALSE(check_heartbeat(-1s));
}

TEST(Liveness, ALossHasTwoConsequencesToChooseFrom) {
  EXPECT_EQ(parse_on_loss("fail_job").value(), OnLoss::fail_job);
  EXPECT_EQ(parse_on_loss("notify").value(), OnLoss::notify);
  EXPECT_THAT(parse_on_loss("Notify").error().text(),
              testing::AllOf(HasSubstr("'Notify'"), HasSubstr("fail_job or notify")));
}

}  // namespace
}  // namespace muster
