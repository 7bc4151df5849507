#include "man_page.hpp"

#include <gmock/gmock.h>

namespace muster::man {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Escaped, leaves_plain_words_alone) {
  EXPECT_EQ(escaped("How many ranks to start (0.5)"), "How many ranks to start (0.5)");
}

TEST(Escaped, takes_every_meaning_from_what_troff_reads) {
  EXPECT_EQ(escaped(R"(a\fBb)"), R"(a\(rsfBb)");
  EXPECT_EQ(escaped("--json"), R"(\-\-json)");
  EXPECT_EQ(escaped(".rounds"), R"(\&.rounds)");
  EXPECT_EQ(escaped("'.rounds[]'"), R"(\&\(aq.rounds[]\(aq)");
  EXPECT_EQ(escaped(R"(`"^~)"), R"(\(ga\(dq\(ha\(ti)");
}

class Page : public testing::Test {
 protected:
  CLI::App app_{"Does things", "tool"};
  std::string value_;
  bool quiet_ = false;
};

TEST_F(Page, is_named_after_what_is_typed) {
  EXPECT_EQ(page_name(app_), "tool");
  EXPECT_EQ(page_name(*app_.add_subcommand("go", "Goes")), "tool-go");
}

TEST_F(Page, shows_an_option_with_its_names_value_and_meaning) {
  app_.add_option("-n,--number", value_, "How many")->required()->type_name("N");
  app_.add_flag("-q,--quiet", quiet_, "Say nothing");
  const std::string text = page(app_, "1.2.3");
  EXPECT_THAT(text, HasSubstr(R"(.TH tool 1 "" "Muster 1.2.3" "Muster")"));
  EXPECT_THAT(text, HasSubstr(".TP\n\\fB\\-n\\fR, \\fB\\-\\-number\\fR \\fIN\\fR\n"
                              "How many (required)\n"));
  EXPECT_THAT(text, HasSubstr("\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\nSay nothing\n"));
}

TEST_F(Page, shows_a_default_and_hides_what_help_hides) {
  app_.add_option("--grace", value_, "Time")->type_name("S")->default_val("5");
  app_.add_option("--secret", value_, "Hidden")->group("");
  const std::string text = page(app_, "1");
  EXPECT_THAT(text, HasSubstr("Time (default: 5)\n"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST_F(Page, puts_positionals_before_options) {
  app_.add_option("job", value_, "Which job")->type_name("JOB");
  const std::string text = page(app_, "1");
  EXPECT_THAT(text, HasSubstr("\\fBtool\\fR [OPTIONS] [job]\n"));
  EXPECT_LT(text.find("Which job"), text.find("\\-\\-help"));
}

TEST_F(Page, sorts_the_footer_into_sections) {
  app_.footer(
      "\nSome prose.\n\nget   prints\nset   stores\n\nExamples:\n  tool -x\n\nExit codes: 0");
  const std::string text = page(app_, "1");
  EXPECT_THAT(text, HasSubstr(".SH DESCRIPTION\nDoes things.\n.PP\nSome prose.\n"
                              ".PP\n.nf\nget   prints\nset   stores\n.fi\n"));
  EXPECT_THAT(text, HasSubstr(".SH EXAMPLES\n.nf\n  tool \\-x\n.fi\n"));
  EXPECT_THAT(text, HasSubstr(".SH \"EXIT STATUS\"\n0\n"));
}

TEST_F(Page, names_subcommands_that_have_pages_and_describes_those_below) {
  CLI::App* sub = app_.add_subcommand("config", "Computes");
  CLI::App* inner = sub->add_subcommand("token", "A token");
  inner->add_option("--from", value_, "First")->type_name("N");
  EXPECT_THAT(page(app_, "1"),
              HasSubstr(".SH COMMANDS\n.TP\n\\fBtool\\-config\\fR(1)\nComputes\n"));
  EXPECT_THAT(page(*sub, "1"),
              HasSubstr(".SS token\n\\fBtool config token\\fR [OPTIONS]\n.PP\nA token\n"));
  EXPECT_THAT(page(*sub, "1"), HasSubstr("\\fB\\-\\-from\\fR \\fIN\\fR\nFirst\n"));
  EXPECT_THAT(page(*sub, "1"), HasSubstr(".SH \"SEE ALSO\"\n\\fBtool\\fR(1)\n"));
}

}  // namespace
}  // namespace muster::man
