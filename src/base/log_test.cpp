#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

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

/// A blocking write would make this test hang.
TEST(LogToStderr, NobodyWaitsForAReaderThatDoesNotRead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int before = ::dup(STDERR_FILENO);
  ASSERT_EQ(::dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  const LogSink sink = log_to_stderr();
  const std::string line(3000, 'x');
  for (int i = 0; i < 100; ++i) sink(LogLevel::error, line);  // far more than a pipe holds
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(ends[1]);
  std::string told(1 << 20, '\0');
  std::size_t got = 0;
  for (ssize_t some = 1; some > 0; got += static_cast<std::size_t>(std::max<ssize_t>(some, 0))) {
    some = ::read(ends[0], told.data() + got, told.size() - got);
  }
  ::close(ends[0]);
  told.resize(got);
  EXPECT_GT(got, line.size());
  EXPECT_EQ(got % (line.size() + std::string_view("muster: error: \n").size()), 0U)
      << "whole lines only";
}

}  // namespace
}  // namespace muster
