/// \file
/// A scenario file: blocks of commands, `----`, and the transcript that is expected of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace muster::scenarios {

/// Value. Lines before a block's commands that begin with '#' are its remarks.
struct Block {
  std::vector<std::string> remarks;
  std::vector<std::string> commands;
  std::string expected;
  int line = 0;  ///< of the first command
};

/// A block ends at an empty line.
std::vector<Block> read_script(const std::filesystem::path& file);
void write_script(const std::filesystem::path& file, const std::vector<Block>& blocks);

}  // namespace muster::scenarios
