#include "patterns.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "crew.hpp"
#include "ranks.hpp"

namespace muster::bench {
namespace {

/// Microseconds a call of rank 0, when every rank calls `count` times.
double per_call_us(Side& side, const Scale& scale, std::uint32_t size, int count,
                   const std::function<void(Peer&)>& call) {
  double result = 0;
  const int warm = count / 10 + 1;
  run(
      side, scale, size,
      [&](Peer& peer, std::uint32_t rank, Board& board) {
        for (int i = 0; i < warm; ++i) call(peer);
        const std::int64_t begun = now_ns();
        for (int i = 0; i < count; ++i) call(peer);
        board->told[rank] = now_ns() - begun;
        // Nobody goes before all have finished: to some sides a rank that ends is a lost one.
        board.gate();
      },
      [&](Board& board, Crew&, const Served&) {
        board.gate();
        result = static_cast<double>(board->told[0]) / count / 1e3;
      });
  return result;
}

int rounds(const Scale& scale, std::uint32_t size) {
  return scale.tiny ? 10 : static_cast<int>(std::max(150U, 20'000U / size));
}

}  // namespace

double get_p50_us(Side& side, const Scale& scale) {
  const int count = scale.tiny ? 100 : 30'000;
  double result = 0;
  const Act act = [&](Peer& peer, std::uint32_t rank, Board& board) {
    std::vector<double> times;
    for (int i = -count / 10; i < count; ++i) {
      const std::int64_t begun = now_ns();
      peer.get();
      if (i >= 0) times.push_back(static_cast<double>(now_ns() - begun));
    }
    board->told[rank] = static_cast<std::int64_t>(median(std::move(times)));
    board.gate();
  };
  const auto lead = [&](Board& board, Crew&, const Served&) {
    board.gate();
    result = static_cast<double>(board->told[0]) / 1e3;
  };
  run(side, scale, 1, act, lead, true);
  return result;
}

double get_rate(Side& side, const Scale& scale, std::uint32_t in_flight) {
  constexpr std::uint32_t clients = 8;
  double result = 0;
  const Act act = [=](Peer& peer, std::uint32_t rank, Board& board) {
    std::int64_t done = 0;
    for (; !board->stop; done += in_flight) {
      in_flight == 1 ? peer.get() : peer.get_many(in_flight);
    }
    board->told[rank] = done;
    board.gate();
  };
  const auto lead = [&](Board& board, Crew&, const Served&) {
    const std::int64_t begun = now_ns();
    pause_ms(scale.tiny ? 20 : 1000);
    board->stop = true;
    const double seconds = static_cast<double>(now_ns() - begun) / 1e9;
    board.gate();
    for (std::uint32_t rank = 0; rank < clients; ++rank) {
      result += static_cast<double>(board->told[rank]) / seconds;
    }
  };
  run(side, scale, clients, act, lead);
  return result;
}

double barrier_us(Side& side, const Scale& scale, std::uint32_t size) {
  return per_call_us(side, scale, size, rounds(scale, size), [](Peer& peer) { peer.barrier(); });
}

double allgather_us(Side& side, const Scale& scale, std::uint32_t size) {
  return per_call_us(side, scale, size, rounds(scale, size), [](Peer& peer) { peer.allgather(); });
}

double loss_ms(Side& side, const Scale& scale, std::uint32_t size) {
  constexpr std::uint32_t late = 0, victim = 1;
  double result = 0;
  const Act act = [&](Peer& peer, std::uint32_t rank, Board& board) {
    if (rank == late) {
      while (!board->stop) pause_ms(5);
      return;
    }
    ++board->ready;
    peer.barrier_until_loss();
    board->told[rank] = now_ns();
    ++board->done;
  };
  const auto lead = [&](Board& board, Crew& crew, const Served&) {
    while (board->ready < size - 1) pause_ms(1);
    for (std::uint32_t rank = 0; rank < size; ++rank) until_asleep(crew.pid(rank));
    const std::int64_t killed = now_ns();
    crew.kill(victim);
    for (int waited = 0; board->done < size - 2; ++waited) {
      if (waited > 10'000) give_up("survivors did not learn of the loss");
      pause_ms(1);
    }
    board->stop = true;
    std::int64_t last = 0;
    for (std::uint32_t rank = 0; rank < size; ++rank) last = std::max(last, +board->told[rank]);
    result = static_cast<double>(last - killed) / 1e6;
  };
  run(side, scale, size, act, lead);
  return result;
}

double leave_ms(Side& side, const Scale& scale, std::uint32_t size) {
  double result = 0;
  const Act act = [&](Peer& peer, std::uint32_t rank, Board& board) {
    board->told[size + rank] = now_ns();
    peer.leave();
    board->told[rank] = now_ns();
    board.gate();
  };
  const auto lead = [&](Board& board, Crew&, const Served&) {
    board.gate();
    std::int64_t first = board->told[size], last = board->told[0];
    for (std::uint32_t rank = 1; rank < size; ++rank) {
      first = std::min(first, +board->told[size + rank]);
      last = std::max(last, +board->told[rank]);
    }
    result = static_cast<double>(last - first) / 1e6;
  };
  run(side, scale, size, act, lead);
  return result;
}

}  // namespace muster::bench
