/// \file
/// Who is in the job, what each is doing, and what the job is stuck on.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/export.hpp>
#include <muster/result.hpp>

namespace muster {

/// What the loss of a rank does to its job.
enum class OnLoss : std::uint8_t {
  fail_job,  ///< every blocked call of every rank ends with the reason
  notify,    ///< only what the lost rank belongs to ends; the application decides about the rest
};

/// A rank's state. The numbers are on the wire.
enum class State : std::uint8_t {
  absent = 0,  ///< has not come
  joined = 1,
  left = 2,    ///< said goodbye
  lost = 3,    ///< its link broke without a goodbye
  failed = 4,  ///< said that it failed
};
MUSTER_API const char* name(State state);

/// Value. One rank.
struct RosterRow {
  RankName who;
  State state = State::absent;
  std::chrono::milliseconds since{0};  ///< how long it has been in this state
  std::string waiting_in;              ///< "barrier 'epoch end' #17", "get 'addr/3'", or empty
};

/// Value. A collective that has begun and not ended.
struct OpenRound {
  std::uint64_t group = 0;  ///< 0 is the world
  std::uint64_t sequence = 0;
  std::string what;  ///< kind and label
  std::uint32_t arrived = 0;
  std::chrono::milliseconds age{0};
  std::vector<std::uint32_t> missing;  ///< ascending; at most 64 of them
};

/// Value. A process that has come and waits for the server to give it a rank.
struct Seeker {
  std::string host;
  std::uint32_t pid = 0;
  std::chrono::milliseconds since{0};  ///< how long it has waited
};

/// Value. Why a job ended early, and over whom.
struct Failure {
  Code code = Code::system;
  std::string reason;
  std::string advice;         ///< what to do next; may be empty
  std::vector<RankName> who;  ///< who is missing, lost, or in the way
  int exit_code = 1;          ///< what the processes of the job should exit with

  bool operator==(const Failure&) const = default;
};

/// Value. What a server says of its job.
struct JobStatus {
  enum class Stage : std::uint8_t {
    gathering = 0,
    running = 1,
    leaving = 2,
    ended = 3,
    doomed = 4
  };
  std::string job;
  std::string incarnation;
  std::uint32_t size = 0;  ///< 0 while nobody has said it
  Stage stage = Stage::gathering;
  std::uint32_t joined = 0;  ///< living ranks
  std::uint64_t keys = 0;
  std::chrono::milliseconds age{0};
  std::optional<Failure> failure;
  std::vector<RosterRow> rows;  ///< ascending by rank
  std::vector<OpenRound> rounds;
  std::uint32_t seeking = 0;    ///< processes that wait to be given a rank; of an older server, 0
  std::vector<Seeker> seekers;  ///< in order of arrival; at most 64 of them
};
MUSTER_API const char* name(JobStatus::Stage stage);

}  // namespace muster
