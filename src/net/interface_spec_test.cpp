#include "net/interface_spec.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>

namespace muster::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;

InterfaceSpec spec(const char* text) {
  return InterfaceSpec::parse(text).value();
}

TEST(InterfaceSpec, reads_every_form_and_writes_it_back) {
  for (const char* text : {"eth", "eth,ib", "=eth0", "=eth0,ib0", "^docker", "^docker,veth",
                           "^=docker0", "eth0:inet4", "=eth0:inet6", "^lo:inet6", "eth0:1"}) {
    EXPECT_EQ(spec(text).text(), text);
  }
  EXPECT_EQ(spec("=eth0,=ib0").text(), "=eth0,ib0") << "one '=' counts for all";
  EXPECT_EQ(spec("eth0").family, AF_UNSPEC);
  EXPECT_EQ(spec("eth0:inet4").family, AF_INET);
  EXPECT_EQ(spec("eth0:inet6").family, AF_INET6);
}

TEST(InterfaceSpec, says_what_is_wrong_with_the_text) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "a name is empty"},
      {"eth0,", "a name is empty"},
      {",eth0", "a name is empty"},
      {"^", "a name is empty"},
      {"=", "a name is empty"},
      {":inet4", "a name is empty"},
      {"eth0:inet5", "the family 'inet5' is not known"},
      {"eth0:inet", "the family 'inet' is not known"},
      {"eth0,=ib0", "'=' stands before the first name"},
      {"eth 0", "'eth 0' is no name of an interface"},
      {"=^eth0", "'^eth0' is no name"},
      {"eth0,^ib0", "'^ib0' is no name"},
      {"an-interface-xyz", "'an-interface-xyz' is no name"},  // 16 bytes, one too many
  };
  for (const auto& [text, wrong] : cases) {
    const auto parsed = InterfaceSpec::parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, Code::invalid_argument);
    EXPECT_THAT(parsed.error().text(),
                AllOf(HasSubstr(wrong), HasSubstr("expected beginnings of names")));
  }
  EXPECT_TRUE(InterfaceSpec::parse("an-interface-xy").ok()) << "15 bytes are a name";
}

TEST(InterfaceSpec, a_name_is_a_beginning_and_better_if_it_is_all) {
  const InterfaceSpec both = spec("eth1,ib");
  EXPECT_EQ(both.place_of("eth1"), 0U);
  EXPECT_EQ(both.place_of("eth10"), 1U);
  EXPECT_EQ(both.place_of("ib"), 2U);
  EXPECT_EQ(both.place_of("ib0"), 3U);
  EXPECT_EQ(both.place_of("eth0"), std::nullopt);
  EXPECT_EQ(both.place_of("eth"), std::nullopt);
}

TEST(InterfaceSpec, an_exact_name_is_all_of_it) {
  EXPECT_EQ(spec("=eth1,ib0").place_of("eth1"), 0U);
  EXPECT_EQ(spec("=eth1,ib0").place_of("ib0"), 2U);
  EXPECT_EQ(spec("=eth1").place_of("eth10"), std::nullopt);
}

TEST(InterfaceSpec, what_is_left_out_is_not_wanted_and_all_else_is) {
  EXPECT_EQ(spec("^eth,ib").place_of("eth0"), std::nullopt);
  EXPECT_EQ(spec("^eth,ib").place_of("ib0"), std::nullopt);
  EXPECT_EQ(spec("^eth,ib").place_of("lo"), 0U);
  EXPECT_EQ(spec("^=eth1").place_of("eth1"), std::nullopt);
  EXPECT_EQ(spec("^=eth1").place_of("eth10"), 0U);
  EXPECT_EQ(InterfaceSpec{}.place_of("anything"), 0U);
}

}  // namespace
}  // namespace muster::net
