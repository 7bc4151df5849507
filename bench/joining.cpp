// How long joining takes, from the first connection until the last rank knows that all are in.
#include <algorithm>

#include <muster/deadline.hpp>

#include "client/driver/link.hpp"
#include "crew.hpp"
#include "herd.hpp"
#include "job/protect.hpp"
#include "patterns.hpp"
#include "proc.hpp"
#include "protection.hpp"
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

using Links = std::vector<std::shared_ptr<client::Caller>>;

/// Ranks of one process, with Muster's client.
Links join_links(const Side& side, const std::string& address, std::uint32_t first,
                 std::uint32_t count, std::uint32_t size) {
  const auto ended = [](const Error& error) { give_up("muster: " + error.text()); };
  const auto url = net::Url::parse(address);
  const TimePoint deadline = muster::Clock::now() + 60s;
  client::LinkOptions protected_link;
  const auto sworn = protect(protected_link, credentials(side.protection()));
  if (!sworn) ended(sworn.error());
  Links links;
  for (std::uint32_t rank = first; rank < first + count; ++rank) {
    client::LinkOptions options = protected_link;
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
  return links;
}

/// What a join of `size` ranks in a few processes has cost, while they are all connected.
struct Cost {
  double ms = 0;
  double server_cpu_us = 0;
  double server_bytes = 0;
};
Cost cost_of_links(Side& side, const Scale& scale, std::uint32_t size) {
  constexpr std::uint32_t processes = 8;
  limit_time(measurement_time_max);
  Board board(processes);
  const Served server(side, scale, size);
  const std::uint32_t share = size / processes;
  Crew crew(processes, [&](std::uint32_t number) {
    board.gate();
    const Links links = join_links(side, server.address(), number * share, share, size);
    board->told[number] = now_ns();
    board.gate();
    board.gate();
  });
  until_asleep(server.pid());
  const std::int64_t bytes = own_memory_bytes(server.pid());
  const std::int64_t cpu_ns = cpu_time_ns(server.pid());
  board.gate();
  const std::int64_t begun = now_ns();
  board.gate();
  std::int64_t last = begun;
  for (std::uint32_t i = 0; i < processes; ++i) last = std::max(last, +board->told[i]);
  until_asleep(server.pid());
  const Cost cost{.ms = static_cast<double>(last - begun) / 1e6,
                  .server_cpu_us = static_cast<double>(cpu_time_ns(server.pid()) - cpu_ns) / 1e3,
                  .server_bytes = static_cast<double>(own_memory_bytes(server.pid()) - bytes)};
  board.gate();
  crew.finish();
  return cost;
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
  return cost_of_links(side, scale, size).ms;
}

double join_cpu_us(Side& side, const Scale& scale, std::uint32_t size) {
  return cost_of_links(side, scale, size).server_cpu_us / size;
}

double idle_link_bytes(Side& side, const Scale& scale, std::uint32_t size) {
  return cost_of_links(side, scale, size).server_bytes / size;
}

}  // namespace muster::bench
