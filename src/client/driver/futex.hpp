/// \file
/// Sleeping on one word, with a deadline: what std::atomic::wait lacks.
#pragma once

#include <atomic>
#include <cstdint>

#include <muster/deadline.hpp>

namespace muster::client {

/// Returns when `word` no longer holds `expected`, at `deadline`, or without reason: ask again.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, TimePoint deadline);
void futex_wake(const std::atomic<std::uint32_t>& word);

}  // namespace muster::client
