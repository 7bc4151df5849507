#include "net/advertise.hpp"

#include <gmock/gmock.h>

namespace muster::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Result<Url> told(const char* given, const char* bound = "tcp://10.0.0.5:4711") {
  return advertised(Url::parse(bound).value(), given);
}

TEST(Advertised, takes_host_and_port_in_each_form) {
  EXPECT_EQ(told("")->text(), "tcp://10.0.0.5:4711");
  EXPECT_EQ(told("node7")->text(), "tcp://node7:4711");
  EXPECT_EQ(told("node7:80")->text(), "tcp://node7:80");
  EXPECT_EQ(told("10.9.0.5:80")->text(), "tcp://10.9.0.5:80");
  EXPECT_EQ(told("[fd00::5]")->text(), "tcp6://[fd00::5]:4711");
  EXPECT_EQ(told("[fd00::5]:80")->text(), "tcp6://[fd00::5]:80");
  EXPECT_EQ(told("", "unix:///run/job")->text(), "unix:///run/job");
}

TEST(Advertised, says_what_is_wrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"node7:0", "nobody can connect to port 0"},
      {"node7:", "the port is missing"},
      {"node7:x", "port 'x' is not a number"},
      {":80", "the host is missing"},
      {"0.0.0.0", "a wildcard"},
      {"[::]:80", "a wildcard"},
      {"fd00::5", "needs brackets"},
      {"no de", "'no de' is no host name"},
      {"node7:80/x", "nothing may follow the port"},
  };
  for (const auto& [given, wrong] : cases) {
    const auto url = told(given);
    ASSERT_FALSE(url.ok()) << given;
    EXPECT_EQ(url.error().code, Code::invalid_argument);
    EXPECT_THAT(url.error().text(), AllOf(HasSubstr(std::string("'") + given + "' cannot be adv"),
                                          HasSubstr(wrong), HasSubstr("expected a host")));
  }
  EXPECT_THAT(told("node7", "unix:///run/job").error().what, HasSubstr("is a Unix socket"));
}

}  // namespace
}  // namespace muster::net
