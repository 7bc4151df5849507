#include "job/uid_address.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <string>

#include "job/unique_id_fixture.hpp"

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using UidPorts = UniqueIdFixture;

/// The port that `id` listens at, let go again, as a range of one.
std::string freed_port(const UniqueId& id) {
  id.release();
  const std::string port = id.url().substr(id.url().rfind(':') + 1);
  return port + ":" + port;
}

TEST_F(UidPorts, its_port_is_of_the_range_that_the_environment_or_the_program_says) {
  for (const char* variable : {"SHMEM_INSTANCE_PORT_RANGE", "MUSTER_PORT_RANGE"}) {
    const std::string range = freed_port(local());
    set(variable, range);  // the later one wins
    const UniqueId id = local();
    EXPECT_THAT(id.url() + ":", HasSubstr(range.substr(0, range.find(':')) + ":")) << variable;
    id.release();
  }
  const std::string range = freed_port(local({.port_range = PortRange{30000, 65535}}));
  const UniqueId id = local({.port_range = PortRange::parse(range).value()});
  EXPECT_THAT(id.url() + ":", HasSubstr(range.substr(0, range.find(':')) + ":"));
  EXPECT_THAT(
      complaint({.session_id = "127.0.0.1:0", .port_range = PortRange::parse(range).value()}),
      AllOf(HasSubstr("port_range: "), HasSubstr("at any port"), HasSubstr("in use")))
      << "none is free";
  id.release();
}

TEST_F(UidPorts, a_session_id_with_a_port_is_served_exactly_there_whatever_the_range) {
  const std::string range = freed_port(local());
  set("MUSTER_PORT_RANGE", "1:2");
  const UniqueId id = local({.session_id = "127.0.0.1:" + range.substr(0, range.find(':'))});
  EXPECT_EQ(freed_port(id), range);
}

TEST_F(UidPorts, a_range_without_a_free_port_or_without_sense_is_named) {
  const UniqueId id = local();
  const std::string port = id.url().substr(id.url().rfind(':') + 1);
  for (const char* variable : {"SHMEM_INSTANCE_PORT_RANGE", "MUSTER_PORT_RANGE"}) {
    set(variable, port + ":" + port);
    EXPECT_THAT(complaint({.session_id = "127.0.0.1:0"}),
                AllOf(HasSubstr(variable), HasSubstr(port), HasSubstr("in use")));
    set(variable, "2:1");
    EXPECT_THAT(complaint({.session_id = "127.0.0.1:0"}),
                AllOf(HasSubstr(variable), HasSubstr("'2:1'"), HasSubstr("expected first:last")));
  }
  EXPECT_THAT(complaint({.session_id = "127.0.0.1:0", .port_range = PortRange{2, 1}}),
              AllOf(HasSubstr("port_range is 2:1"), HasSubstr("expected first:last")));
  id.release();
}

}  // namespace
}  // namespace muster
