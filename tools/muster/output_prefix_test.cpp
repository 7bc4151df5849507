#include "output_prefix.hpp"

#include <gtest/gtest.h>

namespace muster::tool {
namespace {

std::string all(OutputPrefix& lines, std::initializer_list<std::string_view> pieces) {
  std::string out;
  for (const auto piece : pieces) lines.take(piece, out);
  return out;
}

TEST(OutputPrefix, marks_each_line) {
  OutputPrefix lines("[3] ");
  EXPECT_EQ(all(lines, {"one\ntwo\n\n"}), "[3] one\n[3] two\n[3] \n");
}

TEST(OutputPrefix, hands_out_whole_lines_only) {
  OutputPrefix lines("[0] ");
  EXPECT_EQ(all(lines, {"he", "ll"}), "");
  EXPECT_EQ(all(lines, {"o\nwor"}), "[0] hello\n");
  EXPECT_EQ(all(lines, {"ld\n"}), "[0] world\n");
}

TEST(OutputPrefix, ends_an_unfinished_last_line) {
  OutputPrefix lines("[0] ");
  std::string out = all(lines, {"bye"});
  lines.finish(out);
  EXPECT_EQ(out, "[0] bye\n");
  lines.finish(out);
  EXPECT_EQ(out, "[0] bye\n") << "said once";
}

TEST(OutputPrefix, a_line_of_the_limit_is_whole_and_one_byte_more_makes_two) {
  const std::string most(line_bytes_max, 'x');
  OutputPrefix lines("");
  EXPECT_EQ(all(lines, {most + "\n"}), most + "\n");
  EXPECT_EQ(all(lines, {most, "\n"}), most + "\n") << "its end comes later";
  EXPECT_EQ(all(lines, {most + "y\n"}), most + "\ny\n");
}

TEST(OutputPrefix, keeps_no_more_than_a_line_of_the_limit) {
  OutputPrefix lines("");
  const std::string out = all(lines, {std::string(3 * line_bytes_max, 'x')});
  EXPECT_EQ(out.size(), 2 * (line_bytes_max + 1));
}

}  // namespace
}  // namespace muster::tool
