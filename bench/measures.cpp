#include "measures.hpp"

#include <fmt/format.h>
#include <memory>
#include <utility>

#include "side.hpp"

namespace muster::bench {
namespace {

using Run = std::function<double(Side&, const Scale&)>;

std::function<double(const Scale&)> by(std::unique_ptr<Side> (*make)(), Run run) {
  return [=](const Scale& scale) { return run(*make(), scale); };
}

/// The same, done by both sides.
Measure beside_floor(std::string name, std::string unit, double target, const Run& run,
                     bool more_is_better = false) {
  return {std::move(name), std::move(unit),     target,
          more_is_better,  by(make_floor, run), by(make_muster, run)};
}

Measure alone(std::string name, std::string unit, double target, const Run& run) {
  return {std::move(name), std::move(unit), target, false, nullptr, by(make_muster, run)};
}

/// `run` of as many ranks.
Run of(std::uint32_t size, double (*run)(Side&, const Scale&, std::uint32_t)) {
  return [=](Side& side, const Scale& scale) { return run(side, scale, size); };
}

std::string sized(const char* name, std::uint32_t size) {
  return fmt::format("{}, {} ranks", name, size);
}

void add_requests(std::vector<Measure>& all) {
  const auto rate = [](std::uint32_t in_flight) {
    return [=](Side& side, const Scale& scale) { return get_rate(side, scale, in_flight); };
  };
  all.push_back(beside_floor("get 64 B, one client, p50", "us", 1.15, get_p50_us));
  all.push_back(beside_floor("get 64 B, 8 clients", "1/s", 0.88, rate(1), true));
  all.push_back(
      beside_floor("get 64 B, 8 clients, 16 in flight", "1/s", 0.7, rate(in_flight_max), true));
}

void add_rounds(std::vector<Measure>& all, bool tiny) {
  const std::uint32_t many = tiny ? 8 : 64;
  all.push_back(beside_floor(sized("barrier", 8), "us", 1.25, of(8, barrier_us)));
  if (!tiny) {
    all.push_back(beside_floor(sized("barrier", 64), "us", 1.25, of(64, barrier_us)));
    all.push_back(beside_floor(sized("barrier", 256), "us", 1.25, of(256, barrier_us)));
  }
  all.push_back(beside_floor(sized("allgather 64 B", many), "us", 1.25, of(many, allgather_us)));
  all.push_back(alone(sized("kill -9, until all know", many), "ms", 20, of(many, loss_ms)));
  all.push_back(alone(sized("leave", many), "ms", 50, of(many, leave_ms)));
}

void add_joining(std::vector<Measure>& all, bool tiny) {
  const std::uint32_t most = tiny ? 16 : 1024;
  const std::uint32_t some = tiny ? 8 : 64;
  const std::uint32_t strangers = tiny ? 20 : 1000;
  all.push_back(beside_floor(sized("join from cold", most), "ms", 1.3, of(most, cold_join_ms)));
  all.push_back({sized("join, client's code", most), "ms", std::nullopt, false,
                 by(make_floor, of(most, cold_join_ms)),
                 by(make_muster, of(most, join_of_links_ms))});
  // The floor is the same server without the strangers.
  const auto join_beside = [=](std::uint32_t others) {
    return by(make_muster,
              [=](Side& side, const Scale& scale) { return join_ms(side, scale, some, others); });
  };
  all.push_back({fmt::format("join, {} ranks, {} strangers", some, strangers), "ms", 1.1, false,
                 join_beside(0), join_beside(strangers)});
}

void add_idle(std::vector<Measure>& all, bool tiny) {
  const std::uint32_t most = tiny ? 100 : 10'000;
  all.push_back(
      alone(sized("server's memory a rank", most), "B", 2048, of(most, memory_of_rank_bytes)));
  all.push_back({sized("wake-ups of an idle job, no heartbeats", 8), "", 0, false, nullptr,
                 by(make_still_muster, of(8, idle_wake_ups))});
  all.push_back(alone(sized("wake-ups of a rank a heartbeat", 8), "", 1.1, of(8, rank_wake_ups)));
  all.push_back(
      alone(sized("wake-ups of the server a heartbeat", 8), "", 9.9, of(8, server_wake_ups)));
}

/// Protected links; the floor is the same without protection.
void add_protected(std::vector<Measure>& all, bool tiny) {
  const std::uint32_t most = tiny ? 16 : 1024;
  const auto rate = [](Side& side, const Scale& scale) { return get_rate(side, scale, 1); };
  all.push_back({"get 64 B, TLS beside plain, p50", "us", 1.3, false, by(make_muster, get_p50_us),
                 by(make_muster_over_tls, get_p50_us)});
  all.push_back({"get 64 B, 8 clients, TLS beside plain", "1/s", 0.77, true, by(make_muster, rate),
                 by(make_muster_over_tls, rate)});
  const Run join = of(most, join_of_links_ms);
  all.push_back({sized("join by a secret", most), "ms", 1.7, false, by(make_muster, join),
                 by(make_muster_with_secret, join)});
  all.push_back({sized("join over TLS", most), "ms", std::nullopt, false, by(make_muster, join),
                 by(make_muster_over_tls, join)});
  all.push_back({sized("server's time a join", most), "us", std::nullopt, false, nullptr,
                 by(make_muster, of(most, join_cpu_us))});
  all.push_back({sized("server's time a join over TLS", most), "us", 200, false, nullptr,
                 by(make_muster_over_tls, of(most, join_cpu_us))});
  all.push_back({sized("memory a link over TLS", most), "B", 24'576, false, nullptr,
                 by(make_muster_over_tls, of(most, idle_link_bytes))});
}

}  // namespace

std::vector<Measure> measures(bool tiny) {
  std::vector<Measure> all;
  add_requests(all);
  add_rounds(all, tiny);
  add_joining(all, tiny);
  add_idle(all, tiny);
  add_protected(all, tiny);
  return all;
}

}  // namespace muster::bench
