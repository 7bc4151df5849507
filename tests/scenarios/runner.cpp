// Runs every scenario of this folder. With MUSTER_REWRITE=1 in the environment the transcripts are
// written into the files instead of compared: look at the difference before you commit it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include "paths/paths.hpp"
#include "script.hpp"
#include "stage.hpp"

namespace muster::scenarios {
namespace {

const std::filesystem::path folder = paths::source("tests/scenarios");

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() == ".txt" && stem != "CMakeLists") names.push_back(stem);
  }
  std::ranges::sort(names);
  return names;
}

std::string play(Stage& stage, const Block& block) {
  std::string transcript;
  try {
    for (const std::string& command : block.commands) transcript += stage.play(command);
  } catch (const std::exception& mistake) {
    ADD_FAILURE() << "line " << block.line << ": " << mistake.what();
  }
  return transcript;
}

class Scenario : public ::testing::TestWithParam<std::string> {};

TEST_P(Scenario, GoesAsWritten) {
  const auto file = folder / (GetParam() + ".txt");
  const char* rewrite = std::getenv("MUSTER_REWRITE");
  const bool rewriting = rewrite != nullptr && std::string_view(rewrite) == "1";
  std::vector<Block> blocks = read_script(file);
  Stage stage;
  for (Block& block : blocks) {
    if (block.commands.empty()) continue;
    const std::string transcript = play(stage, block);
    if (!rewriting) {
      EXPECT_EQ(transcript, block.expected) << file << ", line " << block.line;
    }
    block.expected = transcript;
  }
  if (rewriting) write_script(file, blocks);
}

std::string name_of(const ::testing::TestParamInfo<std::string>& scenario) {
  return scenario.param;
}
INSTANTIATE_TEST_SUITE_P(All, Scenario, ::testing::ValuesIn(scenario_names()), name_of);

}  // namespace
}  // namespace muster::scenarios
