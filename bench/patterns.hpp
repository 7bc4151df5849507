/// \file
/// What is measured, each as one number.
#pragma once

#include <cstdint>
#include <string>

#include "side.hpp"

namespace muster::bench {

/// Value. How much of each; the tiny one shows only that everything runs.
struct Scale {
  Transport transport = Transport::tcp;
  std::string folder;  ///< private, for sockets
  bool tiny = false;
};

/// Median of single GETs by one client, which has a core to itself, as the server has.
double get_p50_us(Side& side, const Scale& scale);
/// GETs a second of eight clients together, each with so many in flight.
double get_rate(Side& side, const Scale& scale, std::uint32_t in_flight);
/// Time of one round, over many.
double barrier_us(Side& side, const Scale& scale, std::uint32_t size);
double allgather_us(Side& side, const Scale& scale, std::uint32_t size);
/// From kill -9 of one of `size` blocked ranks until the last of the others knows.
double loss_ms(Side& side, const Scale& scale, std::uint32_t size);
/// From the first of `size` ranks to leave until the last has left.
double leave_ms(Side& side, const Scale& scale, std::uint32_t size);

/// From the first connection until the last of `size` ranks knows that all are in; the ranks are
/// bare sockets of one process.
double cold_join_ms(Side& side, const Scale& scale, std::uint32_t size);
/// The same with Muster's client, in eight processes.
double join_of_links_ms(Side& side, const Scale& scale, std::uint32_t size);
/// What one of these joins costs the server's processor, and its memory while they do nothing.
double join_cpu_us(Side& side, const Scale& scale, std::uint32_t size);
double idle_link_bytes(Side& side, const Scale& scale, std::uint32_t size);
/// As cold_join_ms, the fastest of a few, while so many others are connected who say nothing.
double join_ms(Side& side, const Scale& scale, std::uint32_t size, std::uint32_t strangers);

/// What the server's own memory grows by for each rank that has joined.
double memory_of_rank_bytes(Side& side, const Scale& scale, std::uint32_t size);
/// How often any thread of server or ranks wakes up in two seconds of an idle job.
double idle_wake_ups(Side& side, const Scale& scale, std::uint32_t size);
/// How often a rank of an idle job wakes up in one heartbeat, and how often the server.
double rank_wake_ups(Side& side, const Scale& scale, std::uint32_t size);
double server_wake_ups(Side& side, const Scale& scale, std::uint32_t size);

}  // namespace muster::bench
