// What each documented variable is answered with when it makes no sense.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <sys/stat.h>

#include "cli/cli.hpp"
#include "cli/variables_table.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

bool is_variable(std::string_view word) {
  const auto fits = [](unsigned char c) {
    return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
  };
  return word.size() > 1 && std::isupper(static_cast<unsigned char>(word[0])) != 0 &&
         std::ranges::all_of(word, fits);
}

/// Every variable that the page names: `NAME`, or two of them as `NAME.NAME`.
std::set<std::string> documented() {
  std::ifstream file(paths::source("docs/reference/environment.md"));
  std::set<std::string> names;
  std::string quoted;
  std::getline(file, quoted, '`');  // what is before the first one
  for (std::string between; std::getline(file, quoted, '`'); std::getline(file, between, '`')) {
    std::istringstream words(quoted);
    std::set<std::string> all;
    bool good = true;
    for (std::string word; std::getline(words, word, '.');) {
      good = good && is_variable(word);
      all.insert(word);
    }
    if (good) names.merge(all);
  }
  return names;
}

class VariablesTest : public Cli {
 protected:
  VariablesTest() {
    std::ofstream(home_.file("password")) << "not to be guessed";
    ::chmod(home_.file("password").c_str(), 0600);
  }

  /// `$home` in a value is the test's folder.
  std::string in_place(std::string value) const {
    const std::size_t at = value.find("$home");
    if (at != std::string::npos) value.replace(at, 5, home_.path());
    return value;
  }

  /// `set` is what the shell does before: `export A=`.
  Ended outcome(const Row& row, const std::string& value, const std::string& set = "") {
    Variables all{{"muster", program("muster")}, {"hello", program("hello")}};
    for (const auto& [name, text] : row.around) all[name] = in_place(text);
    all[row.variable] = in_place(value);
    all.merge(Variables{{"XDG_RUNTIME_DIR", home_.path()}, {"TMPDIR", home_.path()}});
    for (const std::string& name : documented_) all.emplace(name, "");  // removed
    return Process::run({"sh", "-c", set + row.command}, all).wait();
  }

  void expect_named(const Row& row, const Wrong& wrong) {
    const Ended ended = outcome(row, wrong.value);
    const std::string what =
        std::string(row.variable) + "=" + wrong.value.substr(0, 40) + ", " + row.command;
    EXPECT_TRUE(ended.in_time) << what;
    EXPECT_EQ(ended.exit_code, row.exit_code) << what << ": " << ended;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(row.variable), HasSubstr(wrong.expected))) << what;
    const auto given = HasSubstr(in_place(wrong.value).substr(0, 40));
    if (row.is_secret) {
      EXPECT_THAT(ended.out + ended.err, Not(given)) << what;
    } else {
      EXPECT_THAT(ended.err, given) << what;
    }
    EXPECT_LT(ended.err.size(), 8192U) << what;
  }

  void expect_sense(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      for (const Wrong& wrong : row.wrong) expect_named(row, wrong);
      const bool path = row.wrong.front().value.starts_with("/");
      const char* expected = row.expected_of_long;
      expect_named(row, {std::string(path ? "/" : "") + std::string(100'000, 'x'),
                         expected != nullptr ? expected : row.wrong.front().expected});
      expect_empty_is_unset(row);
    }
  }

  void expect_empty_is_unset(const Row& row) {
    const Ended unset = outcome(row, "");
    const Ended empty = outcome(row, "", std::string("export ") + row.variable + "=; ");
    EXPECT_EQ(empty.exit_code, unset.exit_code) << row.variable << ": " << empty << unset;
    const auto without_digits = [](std::string text) {
      std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
      return text;
    };
    EXPECT_EQ(without_digits(empty.err), without_digits(unset.err)) << row.variable;
  }

  const std::set<std::string> documented_ = documented();
};

TEST_F(VariablesTest, what_a_join_reads) {
  expect_sense(of_joining());
}

TEST_F(VariablesTest, secrets_and_unique_ids) {
  expect_sense(of_secrets());
}

TEST_F(VariablesTest, certificates) {
  support::TestCa ca;
  expect_sense(of_certificates(ca));
}

TEST_F(VariablesTest, where_a_unique_id_is_served) {
  expect_sense(of_unique_ids());
}

TEST_F(VariablesTest, what_launchers_say) {
  expect_sense(of_launchers());
}

TEST_F(VariablesTest, folders) {
  expect_sense(of_folders());
}

TEST_F(VariablesTest, every_one_on_the_page_is_here) {
  support::TestCa ca;
  std::set<std::string> here;
  for (const auto& rows : {of_joining(), of_secrets(), of_certificates(ca), of_unique_ids(),
                           of_launchers(), of_folders()}) {
    for (const Row& row : rows) here.insert(row.variable);
  }
  EXPECT_EQ(here, documented_);
}

}  // namespace
}  // namespace muster::cli
