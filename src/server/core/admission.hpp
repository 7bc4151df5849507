/// \file
/// A hello against the roster: who may come in, who is turned away, and who ends the job.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/roster.hpp>

#include "server/core/core.hpp"
#include "server/core/roster.hpp"
#include "wire/hello.hpp"

namespace muster::server {

/// Value. What the job has come to, as far as a newcomer is concerned.
struct Standing {
  bool complete = false;             ///< all ranks were in once
  bool over = false;                 ///< ended, or the server is stopping
  const Failure* failure = nullptr;  ///< the job is doomed
  std::uint32_t seekers = 0;         ///< so many of the ranks that are absent will be assigned
};

/// Value.
struct Verdict {
  enum class Kind : std::uint8_t {
    welcome,
    refuse,  ///< the newcomer alone
    doom,    ///< the job ends for all, the newcomer is refused with the same failure
  };
  Kind kind = Kind::welcome;
  Failure failure;
};

/// Whether a version of the protocol is spoken on both sides; asked before anything else.
std::optional<Failure> check_version(const wire::ClientHello& hello);

/// Of a peer that speaks the version, and proved itself if that is asked for. Checked in this
/// order: job, incarnation, epoch; then, for ranks, whether the job is open, size, rank set,
/// duplicate. What concerns both the newcomer and the job (another size, a rank that is taken)
/// dooms a job that is not complete: one of the two is wrong, and nobody can know which.
Verdict judge(const wire::ClientHello& hello, const CoreOptions& options, const Roster& roster,
              const Standing& standing);

}  // namespace muster::server
