#include <gmock/gmock.h>

#include <muster/port_range.hpp>

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(PortRange, IsTwoPortsAndWhatIsBetween) {
  for (const PortRange good :
       {PortRange{29400, 29499}, PortRange{1, 65535}, PortRange{7, 7}, PortRange{65535, 65535}}) {
    const auto parsed = PortRange::parse(good.text());
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_EQ(*parsed, good);
  }
}

TEST(PortRange, AnythingElseIsRefused) {
  for (const char* bad : {"", ":", "1", "1:", ":1", "0:5", "5:4", "1:65536", "-1:5", "1-5", "1:2:3",
                          " 1:2", "1:2 ", "a:b"}) {
    const auto parsed = PortRange::parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, Code::invalid_argument);
    EXPECT_THAT(parsed.error().text(),
                AllOf(HasSubstr(std::string("'") + bad + "'"), HasSubstr("first:last")));
  }
}

}  // namespace
}  // namespace muster
