// The corpus through the targets, as every compiler builds them: what a fuzzer found once stays
// found. A target without a corpus, and a corpus without a target, fail.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "fuzz/target.hpp"
#include "paths/paths.hpp"

namespace muster::fuzz {
namespace {

namespace fs = std::filesystem;

fs::path corpus() {
  return paths::source("tests/fuzz/corpus");
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, is_taken) {
  std::size_t count = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(corpus() / GetParam().name)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    SCOPED_TRACE(file.path().string());
    GetParam().run(as_bytes(bytes));
    ++count;
  }
  EXPECT_GT(count, 0U) << "no corpus: see docs/internals/fuzzing.md";
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(Corpus, has_a_target_for_every_folder) {
  for (const fs::directory_entry& folder : fs::directory_iterator(corpus())) {
    const std::string name = folder.path().filename();
    EXPECT_TRUE(std::ranges::any_of(targets(), [&](const Target& t) { return t.name == name; }))
        << folder.path();
  }
}

}  // namespace
}  // namespace muster::fuzz
