#include "script.hpp"

#include <fstream>

namespace muster::scenarios {

std::vector<Block> read_script(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<Block> blocks;
  Block block;
  bool in_expected = false;
  const auto finish = [&] {
    if (!block.commands.empty() || !block.remarks.empty()) blocks.push_back(std::move(block));
    block = {};
    in_expected = false;
  };
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) {
      finish();
    } else if (in_expected) {
      block.expected += line + "\n";
    } else if (line == "----") {
      in_expected = true;
    } else if (line.starts_with('#')) {
      block.remarks.push_back(line);
    } else {
      if (block.commands.empty()) block.line = number;
      block.commands.push_back(line);
    }
  }
  finish();
  return blocks;
}

void write_script(const std::filesystem::path& file, const std::vector<Block>& blocks) {
  std::ofstream out(file);
  const char* gap = "";
  for (const Block& block : blocks) {
    out << gap;
    gap = "\n";
    for (const std::string& remark : block.remarks) out << remark << "\n";
    for (const std::string& command : block.commands) out << command << "\n";
    if (!block.commands.empty()) out << "----\n" << block.expected;
  }
}

}  // namespace muster::scenarios
