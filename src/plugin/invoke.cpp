#include "plugin/invoke.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "base/exit_code.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster::plugin {
namespace {

constexpr std::size_t what_bytes = 8192;
constexpr std::size_t advice_bytes = 1024;

/// Also of a text whose end the plugin forgot.
std::string text(const char* begin, std::size_t room) {
  return printable({begin, strnlen(begin, room)}, room);
}

bool is_code(int code) {
  if (code < 1 || code > std::numeric_limits<std::int16_t>::max()) return false;
  return std::string_view(name(static_cast<Code>(code))) != "unknown";
}

}  // namespace

ErrorRoom::ErrorRoom() : what_(what_bytes), advice_(advice_bytes), ranks_(limits::named_ranks_max) {
  room_ = {.version = MUSTER_PLUGIN_VERSION,
           .size = sizeof(room_),
           .exit_code = 1,
           .ranks_max = static_cast<std::uint32_t>(ranks_.size()),
           .rank_count = 0,
           .what_bytes = static_cast<std::uint32_t>(what_.size()),
           .advice_bytes = static_cast<std::uint32_t>(advice_.size()),
           .zero = 0,
           .what = what_.data(),
           .advice = advice_.data(),
           .ranks = ranks_.data()};
}

Error ErrorRoom::error(std::string_view plugin, const char* function, int code) const {
  if (!is_code(code)) {
    return broken_contract(plugin, function,
                           fmt::format("returned {}, which is no code of Muster's", code));
  }
  if (room_.rank_count > ranks_.size()) {
    return broken_contract(
        plugin, function,
        fmt::format("named {} ranks, with room for {}", room_.rank_count, ranks_.size()));
  }
  Error error{.code = static_cast<Code>(code),
              .phase = Phase::operation,
              .what = text(what_.data(), what_.size()),
              .advice = text(advice_.data(), advice_.size()),
              .exit_code = check_exit_code(room_.exit_code) ? room_.exit_code : 1};
  if (error.what.empty()) {
    error.what = fmt::format("plugin {} failed in {} and did not say why", plugin, function);
  }
  for (const muster_plugin_rank& rank : std::span(ranks_).first(room_.rank_count)) {
    error.ranks.push_back({.rank = rank.rank,
                           .host = text(rank.host, sizeof(rank.host)),
                           .pid = rank.pid,
                           .detail = text(rank.detail, sizeof(rank.detail))});
  }
  return error;
}

Error broken_contract(std::string_view plugin, const char* function, std::string_view how) {
  return Error{
      .code = Code::protocol,
      .phase = Phase::operation,
      .what = fmt::format("plugin {} broke its contract: {} {}", plugin, function, printable(how)),
      .advice = "report this to the maker of the plugin"};
}

std::uint64_t to_ns(TimePoint deadline) {
  const auto since_boot =
      std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch()).count();
  return since_boot > 0 ? static_cast<std::uint64_t>(since_boot) : 0;
}

}  // namespace muster::plugin
