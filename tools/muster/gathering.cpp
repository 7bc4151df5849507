#include "gathering.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster::tool {
namespace {

/// So many of the missing are described, not only counted.
constexpr std::size_t described_max = 4;

std::string describe(std::uint32_t rank, const ProcessState& process) {
  if (process.ended) {
    return fmt::format("rank {}: pid {} {}", rank, process.pid, process.ended->text());
  }
  return fmt::format("rank {}: pid {} is running, has not called join", rank, process.pid);
}

}  // namespace

std::vector<std::uint32_t> missing_ranks(const JobStatus& status, std::size_t size) {
  std::vector<bool> came(size, false);
  for (const auto& row : status.rows) {
    if (row.who.rank < size && row.state != State::absent) came[row.who.rank] = true;
  }
  std::vector<std::uint32_t> missing;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    if (!came[rank]) missing.push_back(rank);
  }
  return missing;
}

std::optional<Failure> never_coming(const JobStatus& status,
                                    std::span<const ProcessState> processes,
                                    const std::string& host) {
  const auto missing = missing_ranks(status, processes.size());
  if (missing.size() == processes.size()) return std::nullopt;
  Failure failure{.code = Code::rank_missing,
                  .advice = "look at that process's output; every rank must call join"};
  for (const std::uint32_t rank : missing) {
    const auto& process = processes[rank];
    if (!process.ended || failure.who.size() == limits::named_ranks_max) continue;
    failure.who.push_back({.rank = rank,
                           .host = host,
                           .pid = static_cast<std::uint32_t>(process.pid),
                           .detail = process.ended->text() + " before it joined"});
  }
  if (failure.who.empty()) return std::nullopt;
  const RankName& first = failure.who.front();
  failure.reason =
      fmt::format("rank {} (host {}, pid {}) {}", first.rank, first.host, first.pid, first.detail);
  if (failure.who.size() > 1) {
    failure.reason += fmt::format(", and so did {} more", failure.who.size() - 1);
  }
  return failure;
}

std::string progress_line(const JobStatus& status, std::span<const ProcessState> processes,
                          Duration elapsed) {
  const auto missing = missing_ranks(status, processes.size());
  std::string line = fmt::format("{} of {} ranks have joined after {} s; missing: {} (",
                                 processes.size() - missing.size(), processes.size(),
                                 std::chrono::duration_cast<std::chrono::seconds>(elapsed).count(),
                                 rank_ranges(missing));
  for (std::size_t i = 0; i < std::min(missing.size(), described_max); ++i) {
    if (i > 0) line += "; ";
    line += describe(missing[i], processes[missing[i]]);
  }
  if (missing.size() > described_max) line += "; ...";
  return line + ")";
}

bool Progress::due(const std::vector<std::uint32_t>& missing, TimePoint now) {
  if (now < next_look_) return false;
  next_look_ = now + look_every;
  if (missing.empty()) return false;
  if (said_at_ && now < *said_at_ + say_every && missing == said_) return false;
  said_at_ = now;
  said_ = missing;
  return true;
}

}  // namespace muster::tool
