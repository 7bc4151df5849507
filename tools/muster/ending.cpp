#include "ending.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "exit_codes.hpp"

namespace muster::tool {
namespace {

constexpr std::size_t summary_ranks_max = 16;

void advance(std::optional<TimePoint>& at, TimePoint when) {
  at = at ? std::min(*at, when) : when;
}

std::string text(const RankEnd& end) {
  return fmt::format("rank {} (pid {}) {}", end.rank, end.pid, end.how.text());
}

template <class Predicate>
const RankEnd* find(std::span<const RankEnd> ends, Predicate predicate) {
  const auto found = std::find_if(ends.begin(), ends.end(), predicate);
  return found == ends.end() ? nullptr : &*found;
}

}  // namespace

void Ending::failed(TimePoint now) {
  if (terminate_at_) return;
  terminate_at_ = now + grace_;
  kill_at_ = now + 2 * grace_;
}

void Ending::interrupted(int signal, TimePoint now) {
  advance(terminate_at_, now);
  advance(kill_at_, signal_ ? now : now + grace_);
  if (!signal_) signal_ = signal;
}

Step Ending::due(TimePoint now) {
  if (!killed_ && kill_at_ && *kill_at_ <= now) {
    killed_ = true;
    return Step::kill;
  }
  if (!killed_ && !terminated_ && terminate_at_ && *terminate_at_ <= now) {
    terminated_ = true;
    return Step::terminate;
  }
  return Step::none;
}

std::optional<TimePoint> Ending::next_deadline() const {
  if (killed_) return std::nullopt;
  return terminated_ ? kill_at_ : terminate_at_;
}

Verdict verdict(std::span<const RankEnd> ends, std::optional<std::uint32_t> casualty,
                std::optional<int> signal) {
  if (signal) {
    return {exit_by_signal(*signal),
            fmt::format("it was interrupted by signal {} ({})", *signal, strsignal(*signal))};
  }
  const auto* cause = find(ends, [](const RankEnd& end) {
    return end.how == EndStatus{false, exit_fail_closed};
  });
  if (cause == nullptr && casualty) {
    cause = find(ends, [&](const RankEnd& end) {
      return end.rank == *casualty && end.how.code() != exit_ok;
    });
  }
  if (cause == nullptr) {
    cause = find(ends, [](const RankEnd& end) { return end.how.code() != exit_ok; });
  }
  if (cause == nullptr) return {};
  return {cause->how.code(), text(*cause)};
}

std::string summary(std::span<const RankEnd> ends, const Verdict& verdict) {
  if (verdict.exit_code == exit_ok) return {};
  std::string lines;
  std::size_t failed = 0;
  for (const auto& end : ends) {
    if (end.how.code() == exit_ok || ++failed > summary_ranks_max) continue;
    lines += fmt::format("muster run: {}\n", text(end));
  }
  if (failed > summary_ranks_max) {
    lines += fmt::format("muster run: ... and {} more\n", failed - summary_ranks_max);
  }
  return lines +
         fmt::format("muster run: exit code {} because {}\n", verdict.exit_code, verdict.why);
}

}  // namespace muster::tool
