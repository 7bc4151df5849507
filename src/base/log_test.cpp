#include <gtest/gtest.h>
#include <string>

#include <muster/log.hpp>

namespace muster {
namespace {

TEST(LogLevel, NamesAndBack) {
  for (const LogLevel level :
       {LogLevel::error, LogLevel::warning, LogLevel::info, LogLevel::debug}) {
    EXPECT_EQ(parse_log_level(name(level)), level);
  }
  for (const char* text : {"", "Error", "warn", "info ", "debugger", "unknown", "0"}) {
    EXPECT_EQ(parse_log_level(text), std::nullopt) << text;
  }
  EXPECT_STREQ(name(static_cast<LogLevel>(9)), "unknown");
}

std::string written(const LogSink& sink) {
  testing::internal::CaptureStderr();
  sink(LogLevel::error, "one");
  sink(LogLevel::warning, "two");
  sink(LogLevel::info, "three");
  sink(LogLevel::debug, "four");
  return testing::internal::GetCapturedStderr();
}

TEST(LogToStderr, WritesWhatIsGraveEnough) {
  EXPECT_EQ(written(log_to_stderr(LogLevel::error)), "muster: error: one\n");
  EXPECT_EQ(written(log_to_stderr()), "muster: error: one\nmuster: warning: two\n");
  EXPECT_EQ(written(log_to_stderr(LogLevel::debug)),
            "muster: error: one\nmuster: warning: two\nmuster: info: three\n"
            "muster: debug: four\n");
}

TEST(LogToStderr, OneLineIsOneLine) {
  testing::internal::CaptureStderr();
  log_to_stderr()(LogLevel::error, "a\nmuster: error: forged\x1b[2J");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "muster: error: a muster: error: forged?[2J\n");
}

}  // namespace
}  // namespace muster
