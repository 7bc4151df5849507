/// \file
/// The names of a job: what it is called, which durable state it stands for, which start of it this
/// is.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <muster/export.hpp>
#include <muster/result.hpp>

namespace muster {

/// Value. 32 random bytes that name one durable job state: chosen by whoever serves, or given to
/// resume.
struct MUSTER_API Epoch {
  std::array<std::byte, 32> bytes{};

  /// Exactly 64 characters of 0-9a-f; anything else is invalid_argument. Upper case is refused, so
  /// that an epoch has one text form only.
  static Result<Epoch> parse(std::string_view hex64);
  static Epoch random();
  std::string text() const;
  bool operator==(const Epoch&) const = default;
};

/// Value. One start of a job: random, never 0; a restart of the same epoch has another one.
struct MUSTER_API Incarnation {
  std::uint64_t number = 0;

  /// Exactly 16 characters of 0-9a-f, not all 0.
  static Result<Incarnation> parse(std::string_view hex16);
  static Incarnation random();
  std::string text() const;
  bool operator==(const Incarnation&) const = default;
};

/// Value. What tokens are bound to: the start of the job, and the number of the current set of
/// living ranks in it.
struct Identity {
  Incarnation incarnation;
  std::uint32_t view = 0;
  bool operator==(const Identity&) const = default;
};

/// Checks a job id: 1 to 64 characters of A-Z a-z 0-9 . _ -, the first a letter or a digit, so that
/// it can be a file name and a shell word. Says what is wrong with it.
MUSTER_API Result<void> check_job_id(std::string_view job);

/// A new job id, 12 random letters and digits.
MUSTER_API std::string random_job_id();

}  // namespace muster
