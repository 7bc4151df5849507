// What a job costs while nothing happens: the server's memory, and wake-ups of anybody.
#include <chrono>
#include <filesystem>
#include <string>

#include "base/limits.hpp"
#include "crew.hpp"
#include "herd.hpp"
#include "patterns.hpp"
#include "proc.hpp"
#include "ranks.hpp"

namespace muster::bench {
namespace {

/// How often the process's threads have gone to sleep: each time, something had woken them.
std::int64_t sleeps_of(pid_t process) {
  std::int64_t sum = 0;
  const std::string folder = "/proc/" + std::to_string(process) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(folder)) {
    sum += number_in(thread.path().string() + "/status", "voluntary_ctxt_switches");
  }
  return sum;
}

constexpr int heartbeats = 5;
constexpr int heartbeat_ms = std::chrono::milliseconds{limits::heartbeat}.count();

struct Idle {
  std::int64_t of_server = 0;
  std::int64_t of_ranks = 0;  ///< all together
};

/// Wake-ups within `time_ms`, half a second after a barrier.
Idle watch_idle(Side& side, const Scale& scale, std::uint32_t size, int time_ms) {
  Idle result;
  const Act act = [](Peer& peer, std::uint32_t, Board& board) {
    peer.barrier();
    board.gate();
  };
  const auto lead = [&](Board& board, Crew& crew, const Served& server) {
    // A link is looked at every 50 ms until it has been quiet for that long.
    pause_ms(scale.tiny ? 200 : 500);
    const auto add = [&](int sign) {
      result.of_server += sign * sleeps_of(server.pid());
      for (std::uint32_t rank = 0; rank < size; ++rank) {
        result.of_ranks += sign * sleeps_of(crew.pid(rank));
      }
    };
    add(-1);
    pause_ms(time_ms);
    add(1);
    board.gate();
  };
  run(side, scale, size, act, lead);
  return result;
}

}  // namespace

double memory_of_rank_bytes(Side& side, const Scale& scale, std::uint32_t size) {
  limit_time(measurement_time_max);
  const Served server(side, scale, size);
  until_asleep(server.pid());
  const std::int64_t before = own_memory_bytes(server.pid());
  Herd herd;
  herd.join(side, server, size);
  herd.until_released();
  until_asleep(server.pid());
  return static_cast<double>(own_memory_bytes(server.pid()) - before) / size;
}

double idle_wake_ups(Side& side, const Scale& scale, std::uint32_t size) {
  const Idle idle = watch_idle(side, scale, size, scale.tiny ? 50 : 2000);
  return static_cast<double>(idle.of_server + idle.of_ranks);
}

double rank_wake_ups(Side& side, const Scale& scale, std::uint32_t size) {
  const Idle idle = watch_idle(side, scale, size, scale.tiny ? 50 : heartbeats * heartbeat_ms);
  return static_cast<double>(idle.of_ranks) / size / heartbeats;
}

double server_wake_ups(Side& side, const Scale& scale, std::uint32_t size) {
  const Idle idle = watch_idle(side, scale, size, scale.tiny ? 50 : heartbeats * heartbeat_ms);
  return static_cast<double>(idle.of_server) / heartbeats;
}

}  // namespace muster::bench
