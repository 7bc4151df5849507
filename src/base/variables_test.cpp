#include "base/variables.hpp"

#include <gmock/gmock.h>
#include <map>
#include <string>

namespace muster {
namespace {

using testing::HasSubstr;

/// A value that remembers how it came.
struct Told {
  std::string how;
  static Result<Told> from_file(const std::string& path) { return Told{"file " + path}; }
  static Result<Told> from_fd(int fd) { return Told{"descriptor " + std::to_string(fd)}; }
  static Result<Told> parse(std::string_view text) {
    if (text == "bad") return Error{.code = Code::invalid_argument, .what = "it is bad"};
    return Told{"text " + std::string(text)};
  }
};

class VariablesTest : public testing::Test {
 protected:
  std::string confided() {
    const auto told = variables_.confided<Told>("X", Told::parse, "keep one");
    return told ? told->how : "nothing";
  }
  std::string problem() const {
    return variables_.problem() ? variables_.problem()->text() : "none";
  }

  std::map<std::string, std::string> set_;
  Variables variables_{[this](const char* name) -> std::optional<std::string_view> {
    const auto found = set_.find(name);
    if (found == set_.end()) return std::nullopt;
    return found->second;
  }};
};

TEST_F(VariablesTest, WhatIsSetAndEmptyIsNotSet) {
  set_ = {{"X", ""}, {"X_FILE", ""}};
  EXPECT_FALSE(variables_.has("X"));
  EXPECT_EQ(confided(), "nothing");
  EXPECT_EQ(problem(), "none");
}

TEST_F(VariablesTest, WhatIsConfidedComesByFileDescriptorOrText) {
  set_ = {{"X_FILE", "a/b"}};
  EXPECT_EQ(confided(), "file a/b");
  set_ = {{"X_FD", "7"}};
  EXPECT_EQ(confided(), "descriptor 7");
  set_ = {{"X", "open"}};
  EXPECT_EQ(confided(), "text open");
  EXPECT_EQ(problem(), "none");
}

TEST_F(VariablesTest, TwoOfThemContradictEachOther) {
  set_ = {{"X_FD", "7"}, {"X", "open"}};
  EXPECT_EQ(confided(), "nothing");
  EXPECT_THAT(problem(), HasSubstr("X_FD and X are both set"));
  EXPECT_THAT(problem(), HasSubstr("keep one"));
  EXPECT_EQ(variables_.problem()->exit_code, 2);
}

TEST_F(VariablesTest, AnErrorIsNamedAfterItsVariableAndTheFirstIsKept) {
  set_ = {{"X", "bad"}, {"N", "many"}};
  EXPECT_EQ(confided(), "nothing");
  EXPECT_EQ(variables_.number("N"), 0U);
  EXPECT_THAT(problem(), HasSubstr("X: it is bad"));
  EXPECT_EQ(variables_.problem()->exit_code, 2);
}

TEST_F(VariablesTest, NumbersAreDigitsAndFit) {
  set_ = {{"N", "4294967295"}, {"Z", "0"}};
  EXPECT_EQ(variables_.number("N"), 4294967295U);
  EXPECT_EQ(variables_.number("Z"), 0U);
  EXPECT_EQ(variables_.number("unset"), std::nullopt);
  EXPECT_EQ(problem(), "none");
  for (const char* text : {"-1", "-0", "+1", "1 ", "4294967296", "x"}) {
    Variables one([text](const char*) { return std::optional<std::string_view>(text); });
    one.number("N");
    ASSERT_TRUE(one.problem()) << text;
    EXPECT_THAT(one.problem()->text(), HasSubstr("N is '" + std::string(text) + "'"));
  }
}

TEST_F(VariablesTest, DescriptorsToReadFromAreNotThoseToWriteTo) {
  set_ = {{"A", "0"}, {"B", "3"}, {"C", "2147483647"}};
  EXPECT_EQ(variables_.descriptor("A"), 0);
  EXPECT_EQ(variables_.descriptor("B"), 3);
  EXPECT_EQ(variables_.descriptor("C"), 2147483647);
  EXPECT_EQ(problem(), "none");
  for (const char* text : {"1", "2", "-1", "2147483648", "x"}) {
    Variables one([text](const char*) { return std::optional<std::string_view>(text); });
    EXPECT_EQ(one.descriptor("N"), std::nullopt);
    ASSERT_TRUE(one.problem()) << text;
    EXPECT_THAT(one.problem()->text(), HasSubstr("0, or 3 and more"));
  }
}

}  // namespace
}  // namespace muster
