#include "base/host.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster {
namespace {

TEST(Host, NameIsTheSystemsOwn) {
  char name[256] = {};
  ASSERT_EQ(gethostname(name, sizeof name), 0);
  EXPECT_EQ(host_name(), name);
}

TEST(Host, ProcessIdIsThisProcesss) {
  EXPECT_EQ(process_id(), static_cast<std::uint32_t>(getpid()));
}

}  // namespace
}  // namespace muster
