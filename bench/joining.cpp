// How long joining takes, from the first connection until the last rank knows that all are in.
#include <algorithm>

#include <muster/deadline.hpp>

#include "client/driver/link.hpp"
#include "crew.hpp"
#include "herd.hpp"
#include "patterns.hpp"
#include "ranks.hpp"

namespace muster::bench {
namespace {

using namespace std::chrono_literals;

double join_of_herd_ms(Side& side, const Scale& scale, std::uint32_t size,
                       std::uint32_t strangers) {
  limit_time(measurement_time_max);
  const Served server(side, scale, size);
  Herd herd;
  herd.connect(server, strangers);
  until_asleep(server.pid());
  pause_ms(20);  // the kernel is still clearing the measurement before away
  const std::int64_t begun = now_ns();
  herd.join(side, server, size);
  herd.until_released();
  return static_cast<double>(now_ns() - begun) / 1e6;
}

/// Ranks of one process, with Muster's client.
void join_links(const std::string& address, std::uint32_t first, std::uint32_t count,
                std::uint32_t size) {
  const auto ended = [](const Error& error) { give_up("muster: " + error.text()); };
  const auto url = net::Url::parse(address);
  const TimePoint deadline = muster::Clock::now() + 60s;
  std::vector<std::shared_ptr<client::Caller>> links;
  for (std::uint32_t rank = first; rank < first + count; ++rank) {
    client::LinkOptions options;
    options.hello.size = size;
    options.hello.ranks.push_back({rank, 1});
    auto link = client::connect_link(*url, std::move(options), deadline);
    if (!link) ended(link.error());
    links.push_back(*std::move(link));
  }
  for (const auto& link : links) {
    const auto released = link->wait(client::muster_ticket, deadline);
    if (!released) ended(released.error());
    if (released->failed) give_up("muster: the job is doomed");
  }
}

}  // namespace

double cold_join_ms(Side& side, const Scale& scale, std::uint32_t size) {
  return join_of_herd_ms(side, scale, size, 0);
}

double join_ms(Side& side, const Scale& scale, std::uint32_t size, std::uint32_t strangers) {
  std::vector<double> times;
  for (int i = 0; i < (scale.tiny ? 1 : 15); ++i) {
    times.push_back(join_of_herd_ms(side, scale, size, strangers));
  }
  return *std::min_element(times.begin(), times.end());
}

double join_of_links_ms(Side& side, const Scale& scale, std::uint32_t size) {
  constexpr std::uint32_t processes = 8;
  limit_time(measurement_time_max);
  Board board(processes);
  const Served server(side, scale, size);
  const std::uint32_t share = size / processes;
  Crew crew(processes, [&](std::uint32_t number) {
    board.gate();
    join_links(server.address(), number * share, share, size);
    board->told[number] = now_ns();
    board.gate();
  });
  board.gate();
  const std::int64_t begun = now_ns();
  board.gate();
  std::int64_t last = begun;
  for (std::uint32_t i = 0; i < processes; ++i) last = std::max(last, +board->told[i]);
  crew.finish();
  return static_cast<double>(last - begun) / 1e6;
}

}  // namespace muster::bench
