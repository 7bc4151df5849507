#include "ranks.hpp"

#include <memory>

namespace muster::bench {

void run(Side& side, const Scale& scale, std::uint32_t size, const Act& act, const Lead& lead,
         bool pinned) {
  limit_time(measurement_time_max);
  Board board(size);
  const Served server(side, scale, size, pinned);
  Crew crew(size, [&](std::uint32_t rank) {
    if (pinned) pin_to(1 + rank);
    const std::unique_ptr<Peer> peer = side.connect(server.address(), rank, size);
    if (rank == 0) peer->set();
    board.gate();
    act(*peer, rank, board);
  });
  board.gate();
  lead(board, crew, server);
  crew.finish();
}

}  // namespace muster::bench
