#include "job/slurm.hpp"

#include <algorithm>

namespace muster {
namespace {

constexpr std::uint32_t first_port = 20480;
constexpr std::uint32_t ports = 12288;  // up to 32767
/// Neighbouring jobs are this far apart: so many steps of one do not meet the next.
constexpr std::uint64_t ports_a_job = 61;

bool belongs_to_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::optional<std::string> first_host(std::string_view node_list) {
  std::string host;
  while (!node_list.empty() && node_list.front() != ',') {
    if (belongs_to_a_name(node_list.front())) {
      host += node_list.front();
      node_list.remove_prefix(1);
      continue;
    }
    // What stands in brackets are numbers and ranges of them; the first one is wanted.
    const std::size_t end = node_list.find(']');
    if (node_list.front() != '[' || end == node_list.npos) return std::nullopt;
    const std::string_view numbers = node_list.substr(1, end - 1);
    const std::string_view first = numbers.substr(0, numbers.find_first_of("-,"));
    if (first.empty() || !std::ranges::all_of(first, is_digit)) return std::nullopt;
    host += first;
    node_list.remove_prefix(end + 1);
  }
  if (host.empty()) return std::nullopt;
  return host;
}

std::uint16_t step_port(std::uint32_t job, std::uint32_t step) {
  return static_cast<std::uint16_t>(first_port + (job * ports_a_job + step) % ports);
}

}  // namespace muster
