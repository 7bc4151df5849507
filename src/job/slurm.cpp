#include "job/slurm.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/integer.hpp"

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

/// Takes the text up to the first of `ends`, and that one, from the front of `text`.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::size_t end = std::min(text.find_first_of(ends), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

/// Whether `digits` is one of "003-005,9", which are written with the digits they have.
bool in_ranges(std::string_view ranges, std::string_view digits) {
  const auto wanted = parse_count<std::uint32_t>(digits);
  while (wanted && !ranges.empty()) {
    std::string_view range = take_until(ranges, ",");
    const std::string_view first = take_until(range, "-");
    const auto low = parse_count<std::uint32_t>(first);
    const auto high = range.empty() ? low : parse_count<std::uint32_t>(range);
    const std::size_t width = std::max(first.size(), std::to_string(*wanted).size());
    if (!low || !high || digits.size() != width) continue;
    if (*low <= *wanted && *wanted <= *high) return true;
  }
  return false;
}

/// Whether `host` is one of those that begin `pattern`, which ends at a comma outside of brackets.
bool matches(std::string_view pattern, std::string_view host) {
  while (!pattern.empty() && pattern.front() != ',' && pattern.front() != '[') {
    if (host.empty() || host.front() != pattern.front()) return false;
    host.remove_prefix(1);
    pattern.remove_prefix(1);
  }
  if (pattern.empty() || pattern.front() == ',') return host.empty();
  pattern.remove_prefix(1);
  const std::string_view ranges = take_until(pattern, "]");
  // A digit may follow the number, so each end of it is tried.
  for (std::size_t end = 1; end <= host.size() && is_digit(host[end - 1]); ++end) {
    if (in_ranges(ranges, host.substr(0, end)) && matches(pattern, host.substr(end))) return true;
  }
  return false;
}

/// What Slurm says about a component of a heterogeneous job. The newer name, or the older one,
/// which srun uses when it makes the job by itself.
std::optional<std::string_view> of_component(const Lookup& look_up, const char* what, int number) {
  for (const char* kind : {"HET", "PACK"}) {
    if (const auto value =
            look_up(fmt::format("SLURM_{}_{}_GROUP_{}", what, kind, number).c_str())) {
      return value;
    }
  }
  return std::nullopt;
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

bool lists(std::string_view node_list, std::string_view host) {
  while (!node_list.empty()) {
    if (matches(node_list, host)) return true;
    // On to the next comma outside of brackets.
    while (!node_list.empty() && node_list.front() != ',') {
      const bool numbers = node_list.front() == '[';
      node_list.remove_prefix(numbers ? std::min(node_list.find(']'), node_list.size()) : 1);
    }
    if (!node_list.empty()) node_list.remove_prefix(1);
  }
  return false;
}

std::optional<std::string> host_of_rank_0(std::string_view node_list, const Lookup& look_up) {
  // The components of another job may have been left behind.
  const auto job = look_up("SLURM_JOB_ID");
  const bool heterogeneous = job && of_component(look_up, "JOB_ID", 0) == job;
  for (int number = 0; heterogeneous; ++number) {
    const auto component = of_component(look_up, "JOB_NODELIST", number);
    if (!component) break;
    const auto host = first_host(*component);
    if (host && lists(node_list, *host)) return host;
  }
  return first_host(node_list);
}

std::uint16_t step_port(std::uint32_t job, std::uint32_t step) {
  return static_cast<std::uint16_t>(first_port + (job * ports_a_job + step) % ports);
}

}  // namespace muster
