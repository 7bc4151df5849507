#include "output_prefix.hpp"

#include <algorithm>

namespace muster::tool {

void OutputPrefix::emit(std::string_view line, std::string& out) const {
  out += prefix_;
  out += line;
  out += '\n';
}

void OutputPrefix::take(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    if (bytes.front() == '\n') {
      emit(partial_, out);
      partial_.clear();
      bytes.remove_prefix(1);
      continue;
    }
    if (partial_.size() == line_bytes_max) finish(out);
    const std::size_t room = line_bytes_max - partial_.size();
    const std::string_view piece = bytes.substr(0, std::min(bytes.find('\n'), room));
    partial_ += piece;
    bytes.remove_prefix(piece.size());
  }
}

void OutputPrefix::finish(std::string& out) {
  if (partial_.empty()) return;
  emit(partial_, out);
  partial_.clear();
}

}  // namespace muster::tool
