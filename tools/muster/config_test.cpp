#include "config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace muster::tool {
namespace {

using testing::HasSubstr;

const std::string epoch = [] {
  std::string text;
  while (text.size() < 64) text += "f332";
  return text;
}();

struct Run {
  int exit_code = 0;
  std::string out;
  std::string err;
};

Run run(std::vector<std::string> words) {
  CLI::App app;
  Command command;
  add_config(app, command);
  std::vector<const char*> argv{"muster", "config"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  app.parse(static_cast<int>(argv.size()), argv.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = command();
  return {exit_code, testing::internal::GetCapturedStdout(),
          testing::internal::GetCapturedStderr()};
}

Run fingerprint(const std::string& interval, const std::string& timeout, const std::string& jitter,
                const std::string& epoch_text = epoch) {
  return run({"fingerprint", "--profile", "f332", "--epoch", epoch_text, "--interval", interval,
              "--timeout", timeout, "--jitter", jitter});
}

Run schedule(const std::string& from, const std::string& to,
             const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"schedule",   "--profile", "f332",     "--epoch", epoch,
                                 "--interval", "0.12",      "--jitter", "0.1",     "--from",
                                 from,         "--to",      to};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

Run token(const std::string& generation, const std::string& print) {
  return run({"token", "--profile", "f332", "--epoch", epoch, "--generation", generation,
              "--fingerprint", print});
}

const std::string published = "776bc9da6db7e0bc761c601280a75eee31c1bc3ee392aa759e2b9b4288ac9a94";

TEST(Config, PrintsTheFingerprint) {
  EXPECT_EQ(fingerprint("0.12", "0.4", "0.1").out, published + "\n");
  EXPECT_EQ(fingerprint("12e-2", "0.40", "1e-1").out, published + "\n");
  EXPECT_EQ(fingerprint("60", "5", "-0.0").out, fingerprint("60.0", "5.0", "0").out);
}

TEST(Config, PrintsTheToken) {
  EXPECT_EQ(token("1", published).out,
            "7b9f2ea5c469c3180f36a95b6769c2ca008d058a45adf0a1ebe9df94bb7a0813\n");
  EXPECT_EQ(token("9223372036854775807", published).exit_code, 0);
}

TEST(Config, PrintsTheSchedule) {
  EXPECT_EQ(schedule("1", "3").out,
            "1 0.12869066615001992 3fc078ef8d3517d5\n"
            "2 0.12589275921778575 3fc01d4101d2613c\n"
            "3 0.12776521347694228 3fc05a9c4ab99729\n");
  EXPECT_THAT(schedule("9223372036854775807", "9223372036854775807").out,
              testing::StartsWith("9223372036854775807 0.1"));
}

TEST(Config, PrintsJson) {
  const auto print =
      nlohmann::json::parse(run({"fingerprint", "--profile", "f332", "--epoch", epoch, "--interval",
                                 "60", "--timeout", "5", "--jitter", "0.1", "--json"})
                                .out);
  EXPECT_EQ(print.size(), 6U);
  EXPECT_EQ(print["profile"], "f332");
  EXPECT_EQ(print["epoch"], epoch);
  EXPECT_EQ(print["interval"], 60.0);
  EXPECT_EQ(print["timeout"], 5.0);
  EXPECT_EQ(print["jitter"], 0.1);
  EXPECT_EQ(print["fingerprint"].get<std::string>() + "\n", fingerprint("60", "5", "0.1").out);

  const auto request =
      nlohmann::json::parse(run({"token", "--profile", "f332", "--epoch", epoch, "--generation",
                                 "2", "--fingerprint", published, "--json"})
                                .out);
  EXPECT_EQ(request.size(), 5U);
  EXPECT_EQ(request["generation"], 2);
  EXPECT_EQ(request["fingerprint"], published);
  EXPECT_EQ(request["token"].get<std::string>() + "\n", token("2", published).out);

  const auto rows = nlohmann::json::parse(schedule("1", "2", {"--json"}).out);
  EXPECT_EQ(rows.size(), 5U);
  ASSERT_EQ(rows["schedule"].size(), 2U);
  EXPECT_EQ(rows["schedule"][1]["generation"], 2);
  EXPECT_EQ(rows["schedule"][1]["delay"], 0.12589275921778575);
  EXPECT_EQ(rows["schedule"][1]["bits"], "3fc01d4101d2613c");
}

void expect_refused(const Run& run, const std::string& reason) {
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr(reason));
}

TEST(Config, RefusesWithTheReason) {
  expect_refused(fingerprint("nan", "5", "0.1"), "interval nan is not finite");
  expect_refused(fingerprint("-1e-9", "5", "0.1"), "interval -1e-09 is negative");
  expect_refused(fingerprint("60", "-0.0", "0.1"), "timeout -0.0 is not positive");
  expect_refused(fingerprint("60", "inf", "0.1"), "timeout inf is not finite");
  expect_refused(fingerprint("60", "5", "0.5000000000000001"), "is above 0.5");
  expect_refused(fingerprint("1.7976931348623157e308", "5", "0.5"), "overflows");
  expect_refused(fingerprint("60", "5", "0.1", "F332"), "epoch 'F332' is not 64 characters");
  expect_refused(token("1", published.substr(1)), "expected 64 characters of 0-9a-f");
}

TEST(Config, ParsesNumbersStrictly) {
  for (const char* text : {"", " 60", "60 ", "60s", "+60", "0x1p6", "1e", "6,5", "."}) {
    expect_refused(fingerprint(text, "5", "0.1"),
                   std::string("--interval is '") + text + "'; expected a decimal number");
  }
  for (const char* text : {"1e400", "1e-400"}) {
    expect_refused(fingerprint(text, "5", "0.1"), "expected a number that binary64 can hold");
  }
  for (const char* text : {"", "0", "-1", "1.0", "true", "0x1", "9223372036854775808", "1e3"}) {
    expect_refused(token(text, published),
                   std::string("--generation is '") + text +
                       "'; expected a whole number from 1 to 9223372036854775807");
  }
}

TEST(Config, ListsSoManyAtMost) {
  EXPECT_EQ(schedule("2", "100001").exit_code, 0);
  expect_refused(schedule("2", "100002"), "expected a generation from 2 on, and at most 100000");
  expect_refused(schedule("2", "1"), "--to is '1'");
}

TEST(Config, KnowsOneProfile) {
  expect_refused(run({"fingerprint", "--profile", "muster", "--epoch", epoch, "--interval", "60",
                      "--timeout", "5", "--jitter", "0.1"}),
                 "--profile is 'muster'; expected f332");
  EXPECT_THROW(run({"fingerprint", "--epoch", epoch, "--interval", "60", "--timeout", "5",
                    "--jitter", "0.1"}),
               CLI::RequiredError);
}

}  // namespace
}  // namespace muster::tool
