#include "server/driver/descriptor_room.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/resource.h>

namespace muster::server {
namespace {

/// How many descriptors this process's table has places for.
std::size_t table_size() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("FDSize:")) return std::stoul(line.substr(7));
  }
  return 0;
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

class DescriptorRoom : public testing::Test {
 protected:
  DescriptorRoom() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit lower{.rlim_cur = 700, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &lower);
  }
  ~DescriptorRoom() override { setrlimit(RLIMIT_NOFILE, &before_); }

  rlimit before_{};
};

TEST_F(DescriptorRoom, IsThereAtOnceAndNothingStaysOpen) {
  const std::ptrdiff_t open = open_descriptors();
  make_descriptor_room(500);
  EXPECT_GE(table_size(), 500U);
  EXPECT_EQ(open_descriptors(), open);
}

TEST_F(DescriptorRoom, GoesAsFarAsTheLimitOfOpenFiles) {
  make_descriptor_room(1'000'000);
  EXPECT_GE(table_size(), 700U);
  EXPECT_LT(table_size(), 1'000'000U);
}

}  // namespace
}  // namespace muster::server
