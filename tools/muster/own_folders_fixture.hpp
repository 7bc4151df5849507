/// \file
/// For tests: folders in which nobody else's jobs are.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace muster::tool {

/// Runs each test with an XDG_RUNTIME_DIR and a TMPDIR of its own.
class OwnFolders : public testing::Test {
 protected:
  void SetUp() override {
    std::string made = testing::TempDir() + "folders_XXXXXX";
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    root_ = made;
    ::setenv("XDG_RUNTIME_DIR", root_.c_str(), 1);
    ::setenv("TMPDIR", root_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_RUNTIME_DIR");
    ::unsetenv("TMPDIR");
    std::filesystem::remove_all(root_);
  }
  std::filesystem::path root_;
};

}  // namespace muster::tool
