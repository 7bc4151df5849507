/// \file
/// The frame of most measurements: a server, ranks in processes of their own, and who directs them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "crew.hpp"
#include "patterns.hpp"
#include "served.hpp"
#include "side.hpp"

namespace muster::bench {

inline constexpr std::chrono::seconds measurement_time_max{120};

using Act = std::function<void(Peer&, std::uint32_t rank, Board&)>;
using Lead = std::function<void(Board&, Crew&, const Served&)>;

/// `size` ranks connect, come to the gate, and each does `act`; the parent does `lead` meanwhile.
void run(Side& side, const Scale& scale, std::uint32_t size, const Act& act, const Lead& lead,
         bool pinned = false);

}  // namespace muster::bench
