/// \file
/// For tests: unique ids, and an environment that says nothing of them.
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include <muster/unique_id.hpp>

namespace muster {

/// Value. No test begins or ends with one of these set.
class UniqueIdFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable :
         {"MUSTER_UID_SESSION_ID", "SHMEM_UID_SESSION_ID", "MUSTER_UID_IFNAME",
          "SHMEM_UID_SOCK_IFNAME", "MUSTER_ADVERTISE", "MUSTER_UID_FILE", "MUSTER_UID_FD",
          "MUSTER_UID", "MUSTER_PORT_RANGE", "SHMEM_INSTANCE_PORT_RANGE"}) {
      unsetenv(variable);
    }
  }
  void TearDown() override { SetUp(); }

  static void set(const char* variable, const std::string& value) {
    setenv(variable, value.c_str(), 1);
  }
  static UniqueId local(UniqueIdOptions options = {}) {
    if (options.session_id.empty()) options.session_id = "127.0.0.1:0";
    return UniqueId::create(options).value();
  }
  static std::string complaint(const UniqueIdOptions& options = {}) {
    const auto id = UniqueId::create(options);
    return id ? "none: " + id->url() : id.error().text();
  }
};

}  // namespace muster
