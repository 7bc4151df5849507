#include "status_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace muster::tool {
namespace {

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string span_text(std::chrono::milliseconds span) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

std::string header(const JobStatus& status) {
  std::string line = fmt::format("job '{}' is {}: ", status.job, name(status.stage));
  if (status.size == 0) {
    line += fmt::format("{} ranks are in, nobody has said of how many", status.joined);
  } else {
    line += fmt::format("{} of {} ranks are in", status.joined, status.size);
  }
  return line + fmt::format("; {} keys; {} old\n", status.keys, span_text(status.age));
}

std::string failure_text(const Failure& failure) {
  std::string line = fmt::format("failed: {}", printable(failure.reason, 4096));
  if (!failure.advice.empty()) line += fmt::format(" ({})", printable(failure.advice));
  return line + "\n";
}

/// For how long the world has been in the round that a row waits in, if that is one.
std::string waited(const JobStatus& status, const std::string& waiting_in) {
  for (const auto& round : status.rounds) {
    if (fmt::format("{} #{}", round.what, round.sequence) == waiting_in) {
      return " for " + span_text(round.age);
    }
  }
  return {};
}

std::string doing(const JobStatus& status, const RosterRow& row) {
  std::string text = name(row.state);
  if (row.state == State::absent) text = "absent, not joined yet";
  if (row.state == State::joined) {
    text = row.waiting_in.empty()
               ? "running"
               : "in " + printable(row.waiting_in) + waited(status, row.waiting_in);
  }
  if (!row.who.detail.empty()) text += ": " + printable(row.who.detail);
  return text;
}

/// Ranks that do the same.
struct Alike {
  std::string what;
  std::vector<std::uint32_t> ranks;
  RankName first;
};

std::vector<Alike> grouped(const JobStatus& status) {
  std::vector<Alike> groups;
  for (const auto& row : status.rows) {
    const std::string what = doing(status, row);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Alike& known) { return known.what == what; });
    if (group == groups.end()) {
      group = groups.insert(group, {.what = what, .ranks = {}, .first = row.who});
      group->first.detail.clear();
    }
    group->ranks.push_back(row.who.rank);
  }
  return groups;
}

/// Who waits for a rank, a line a host.
std::string seekers_text(const JobStatus& status) {
  std::map<std::string, std::vector<const Seeker*>> by_host;
  for (const auto& seeker : status.seekers) by_host[seeker.host].push_back(&seeker);
  std::string text = fmt::format("waiting to be given a rank: {}\n", status.seeking);
  for (const auto& [host, seekers] : by_host) {
    text += fmt::format("  host {}:", printable(host));
    for (const Seeker* seeker : seekers) {
      text += fmt::format("{} pid {}", seeker == seekers.front() ? "" : ",", seeker->pid);
    }
    text += fmt::format("; the first for {}\n", span_text(seekers.front()->since));
  }
  if (status.seeking > status.seekers.size()) {
    text += fmt::format("  and {} more\n", status.seeking - status.seekers.size());
  }
  return text;
}

}  // namespace

std::string status_text(const JobStatus& status) {
  std::string text = header(status);
  if (status.failure) text += failure_text(*status.failure);
  for (const auto& group : grouped(status)) {
    const std::string who = group.ranks.size() == 1
                                ? group.first.text()
                                : fmt::format("ranks {}", rank_ranges(group.ranks));
    text += fmt::format("  {}: {}\n", who, group.what);
  }
  if (status.seeking != 0) text += seekers_text(status);
  if (!status.rounds.empty()) text += "open rounds:\n";
  for (const auto& round : status.rounds) {
    const std::string group = round.group == 0 ? "" : fmt::format(" of group {:x}", round.group);
    text += fmt::format("  {} #{}{}: {} have arrived, the first {} ago; missing: {}\n",
                        printable(round.what), round.sequence, group, round.arrived,
                        span_text(round.age), rank_ranges(round.missing));
  }
  return text;
}

}  // namespace muster::tool
