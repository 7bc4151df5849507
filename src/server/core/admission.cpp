#include "server/core/admission.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster::server {
namespace {

Verdict refuse(std::string reason, std::string advice = {}, std::vector<RankName> who = {}) {
  return {Verdict::Kind::refuse, Failure{.code = Code::refused,
                                         .reason = std::move(reason),
                                         .advice = std::move(advice),
                                         .who = std::move(who)}};
}

RankName newcomer(const wire::ClientHello& hello, std::uint32_t rank) {
  return {rank, printable(hello.host, limits::host_bytes_max), hello.pid, {}};
}

std::uint32_t first_rank(const wire::ClientHello& hello) {
  return hello.ranks.empty() ? no_rank : hello.ranks.front().first;
}

/// Job to epoch: whether this is the server that the newcomer looks for at all.
std::optional<Verdict> check_names(const wire::ClientHello& hello, const CoreOptions& options) {
  if (!hello.job.empty() && hello.job != options.job) {
    return refuse(
        fmt::format("this is job {}, you belong to job {}", quoted(options.job), quoted(hello.job)),
        "check the address: another job is served here");
  }
  if (hello.incarnation.number != 0 && hello.incarnation != options.incarnation) {
    return refuse(
        fmt::format("this is incarnation {} of job {}, you belong to incarnation {}",
                    options.incarnation.text(), quoted(options.job), hello.incarnation.text()),
        "end this process: it belongs to another start of the job");
  }
  if (hello.epoch && *hello.epoch != options.epoch) {
    return refuse(fmt::format("the epoch of job {} is {}, yours is {}", quoted(options.job),
                              options.epoch.text(), hello.epoch->text()),
                  "resume with the epoch that the job was started with");
  }
  return std::nullopt;
}

/// A hello that contradicts itself says nothing about the job.
std::optional<Verdict> check_sense(const wire::ClientHello& hello) {
  if (hello.size == 0 || hello.size > limits::ranks_max) {
    return refuse(fmt::format("a job has 1 to {} ranks, you say {}", limits::ranks_max, hello.size),
                  "check MUSTER_SIZE");
  }
  if (hello.role == wire::Role::assigned) {
    if (hello.ranks.empty()) return std::nullopt;
    return refuse("you ask for a rank to be assigned, and name some");
  }
  std::vector<wire::RankRange> ranges = hello.ranks;
  std::ranges::sort(ranges, {}, &wire::RankRange::first);
  std::uint64_t end = 0;
  for (const wire::RankRange& range : ranges) {
    if (range.count == 0) return refuse("you speak for an empty range of ranks");
    if (range.first < end) {
      return refuse(fmt::format("your ranges of ranks overlap at rank {}", range.first));
    }
    end = std::uint64_t{range.first} + range.count;
  }
  if (ranges.empty()) return refuse("you join as a rank, but name none", "check MUSTER_RANK");
  if (end > hello.size) {
    return refuse(fmt::format("rank {} does not exist in a job of {}: ranks count from 0", end - 1,
                              hello.size),
                  "check MUSTER_RANK and MUSTER_SIZE");
  }
  return std::nullopt;
}

/// Over something that the newcomer and the job see differently.
Verdict conflict(const Standing& standing, std::string reason, std::string advice, RankName given,
                 RankName expected) {
  Verdict verdict =
      refuse(std::move(reason), std::move(advice), {std::move(given), std::move(expected)});
  if (!standing.complete) verdict.kind = Verdict::Kind::doom;
  return verdict;
}

/// Who named this start of the job is late. Who would join whatever is served here may be early for
/// the next one: `unreachable` has it try again.
Verdict over(const wire::ClientHello& hello, const CoreOptions& options) {
  Verdict verdict = refuse(fmt::format("job {} has ended", quoted(options.job)),
                           "start the job anew, or check the address");
  if (hello.job.empty() && hello.incarnation.number == 0) verdict.failure.code = Code::unreachable;
  return verdict;
}

Verdict wrong_size(const wire::ClientHello& hello, const CoreOptions& options, const Roster& roster,
                   const Standing& standing) {
  RankName given = newcomer(hello, first_rank(hello));
  RankName expected{options.server_rank, options.host, options.pid, {}};
  std::string who = fmt::format("the server (host {}, pid {})", options.host, options.pid);
  if (const auto member = roster.first(State::joined)) {
    expected = roster.name(*member);
    who = expected.text();
  }
  const std::string reason = fmt::format("{} says that the job has {} ranks, {} says {}",
                                         given.text(), hello.size, who, roster.size());
  given.detail = fmt::format("says {} ranks", hello.size);
  expected.detail = fmt::format("says {} ranks", roster.size());
  return conflict(standing, reason, "start all ranks with the same size", std::move(given),
                  std::move(expected));
}

Verdict taken(const wire::ClientHello& hello, std::uint32_t rank, const Roster& roster,
              const Standing& standing) {
  RankName given = newcomer(hello, rank);
  RankName holder = roster.name(rank);
  const State state = roster.row(rank).state;
  if (state != State::joined) {
    return refuse(
        fmt::format("rank {} has been in the job before, as host {}, pid {}, and {}", rank,
                    holder.host, holder.pid, state == State::left ? "left" : "was lost"),
        "start the job anew: a rank joins once", {holder});
  }
  const std::string reason =
      fmt::format("rank {} is claimed twice: by host {}, pid {}, and by host {}, pid {}", rank,
                  holder.host, holder.pid, given.host, given.pid);
  given.detail = "claims it too";
  holder.detail = "has it";
  return conflict(standing, reason, "start each rank once", std::move(given), std::move(holder));
}

}  // namespace

std::optional<Failure> check_version(const wire::ClientHello& hello) {
  if (hello.version_min <= wire::version && hello.version_max >= wire::version) {
    return std::nullopt;
  }
  return refuse(fmt::format("this server speaks version {}, you speak {} to {}", wire::version,
                            hello.version_min, hello.version_max),
                "use the same release of Muster in the whole job")
      .failure;
}

Verdict judge(const wire::ClientHello& hello, const CoreOptions& options, const Roster& roster,
              const Standing& standing) {
  if (auto problem = check_names(hello, options)) return *problem;
  if (hello.role == wire::Role::tool) return {};
  if (standing.failure != nullptr) return {Verdict::Kind::refuse, *standing.failure};
  if (standing.over) return over(hello, options);
  if (auto problem = check_sense(hello)) return *problem;
  if (roster.size() != 0 && hello.size != roster.size()) {
    return wrong_size(hello, options, roster, standing);
  }
  if (roster.size() == 0) return {};
  if (hello.role == wire::Role::assigned && roster.count(State::absent) == 0) {
    return refuse(fmt::format("all {} ranks of job {} have come already: none is left to assign",
                              roster.size(), quoted(options.job)),
                  "start the job with more ranks, or fewer processes");
  }
  std::uint32_t claimed = 0;
  for (const wire::RankRange& range : hello.ranks) {
    for (std::uint32_t rank = range.first; rank < range.first + range.count; ++rank) {
      if (roster.row(rank).state != State::absent) return taken(hello, rank, roster, standing);
    }
    claimed += range.count;
  }
  const std::uint32_t left = roster.count(State::absent) - standing.seekers;
  if (claimed <= left) return {};
  return refuse(
      fmt::format("you claim {} ranks, and {} are left: {} processes wait to be given one", claimed,
                  left, standing.seekers),
      "start the job with more ranks, or fewer processes");
}

}  // namespace muster::server
