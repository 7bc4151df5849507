/// Skips the whole program on a processor that could not run the code it is to test.
#include <gtest/gtest.h>

namespace {

class NeedsFma : public testing::Environment {
 public:
  void SetUp() override {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
      GTEST_SKIP() << "this processor has no fused multiply-add";
    }
  }
};

const auto* const needs_fma = testing::AddGlobalTestEnvironment(new NeedsFma);

}  // namespace
