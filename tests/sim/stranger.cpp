#include "stranger.hpp"

#include "wire/hello.hpp"

namespace muster::sim {

using namespace std::chrono_literals;

void Stranger::run() {
  const Weather weather{1ms, 2ms, 50, 0};
  Scheduler& scheduler = network_.scheduler();
  scheduler.sleep(dice_.between(Duration{}, Duration{1s}));
  Link* link = network_.connect({weather, weather}, *this);
  if (link == nullptr) return;
  link->write(Side::client, first_bytes());
  scheduler.sleep(dice_.between(Duration{}, Duration{20s}));
  link->attach(Side::client, nullptr);
  if (!closed_) link->close(Side::client);
}

Value Stranger::first_bytes() {
  Value noise(dice_.between(std::uint64_t{1}, std::uint64_t{2000}));
  dice_.random().fill(noise);
  wire::ClientHello hello;
  hello.job = "another";
  hello.size = 3;
  hello.ranks = {{0, 1}};
  Value foreign = wire::encode(hello);
  // From an earlier start of the same job, or of the same start in another state.
  hello.job = "simulated";
  hello.incarnation.number = 0xdead;
  if (dice_.percent(50)) {
    hello.incarnation.number = 0;
    hello.epoch = Epoch{};
    hello.epoch->bytes.back() = std::byte{1};
  }
  switch (dice_.between(std::uint64_t{0}, std::uint64_t{5})) {
    case 0:
      return noise;
    case 1:
      return foreign;
    case 2:
      foreign.resize(foreign.size() / 2);
      return foreign;
    case 3:
      return wire::encode(hello);
    case 4:
      return to_value("GET / HTTP/1.1\r\n\r\n");
    default:
      return {};
  }
}

}  // namespace muster::sim
