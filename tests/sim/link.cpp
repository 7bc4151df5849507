#include "link.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace muster::sim {

void Link::Direction::drop() {
  bytes.clear();
  chunks.clear();
  head = next_chunk = 0;
}

Link::Link(Scheduler& scheduler, Dice& dice, const Weather& to_client, const Weather& to_server)
    : scheduler_(scheduler), dice_(dice) {
  to(Side::client).weather = to_client;
  to(Side::server).weather = to_server;
}

void Link::write(Side from, Bytes bytes) {
  const Side to_side = other(from);
  Direction& direction = to(to_side);
  if (bytes.empty() || direction.lost || direction.ends || direction.over) return;
  MUSTER_ASSERT(!direction.delivering);
  direction.bytes.insert(direction.bytes.end(), bytes.begin(), bytes.end());

  std::size_t left = bytes.size();
  while (left > 1 && dice_.percent(direction.weather.split_percent)) {
    const std::size_t piece = dice_.between(1, left - 1);
    add_chunk(to_side, piece);
    left -= piece;
  }
  add_chunk(to_side, left);
}

void Link::add_chunk(Side to_side, std::size_t bytes) {
  Direction& direction = to(to_side);
  const Weather& weather = direction.weather;
  const TimePoint arrives = scheduler_.now() + dice_.between(weather.delay_min, weather.delay_max);
  direction.last_at = std::max(direction.last_at, arrives);
  direction.chunks.push_back({bytes, direction.last_at});
  if (direction.stalled) return;
  scheduler_.at(direction.last_at, [this, to_side] { deliver(to_side); });
}

std::size_t Link::take_due(Direction& direction) {
  std::size_t bytes = direction.chunks[direction.next_chunk++].bytes;
  while (!direction.empty() && direction.chunks[direction.next_chunk].at <= scheduler_.now() &&
         dice_.percent(direction.weather.merge_percent)) {
    bytes += direction.chunks[direction.next_chunk++].bytes;
  }
  return bytes;
}

void Link::deliver(Side to_side) {
  Direction& direction = to(to_side);
  while (!direction.stalled && !direction.over && !direction.empty() &&
         direction.chunks[direction.next_chunk].at <= scheduler_.now()) {
    const std::size_t count = take_due(direction);
    const Bytes bytes = Bytes{direction.bytes}.subspan(direction.head, count);
    direction.head += count;
    if (direction.receiver != nullptr && !bytes.empty()) {
      direction.delivering = true;
      direction.receiver->received(bytes);
      direction.delivering = false;
    }
    if (!direction.empty()) continue;
    direction.drop();
    if (direction.ends) end(to_side, "closed by the peer");
  }
}

void Link::end(Side to_side, std::string_view why) {
  Direction& direction = to(to_side);
  if (direction.over) return;
  direction.over = true;
  direction.drop();
  if (direction.receiver != nullptr) direction.receiver->closed(why);
}

void Link::close(Side from) {
  Direction& heard = to(from);
  heard.over = true;
  heard.receiver = nullptr;
  Direction& said = to(other(from));
  if (said.lost || said.ends || said.over) return;
  add_chunk(other(from), 0);
  said.ends = true;
}

void Link::cut(Duration client_notices, Duration server_notices) {
  disturbed_ = true;
  for (const Side side : {Side::client, Side::server}) {
    Direction& direction = to(side);
    if (direction.lost || direction.over) continue;
    direction.lost = true;
    direction.ends = false;
    MUSTER_ASSERT(!direction.delivering);
    direction.drop();
    const Duration notices = side == Side::client ? client_notices : server_notices;
    if (notices == never) continue;
    scheduler_.at(scheduler_.now() + notices, [this, side] { end(side, "connection reset"); });
  }
}

void Link::stall(Side from) {
  disturbed_ = true;
  to(other(from)).stalled = true;
}

void Link::heal() {
  for (const Side side : {Side::client, Side::server}) {
    Direction& direction = to(side);
    if (!direction.stalled) continue;
    direction.stalled = false;
    TimePoint at = scheduler_.now();
    for (std::size_t i = direction.next_chunk; i < direction.chunks.size(); ++i) {
      Chunk& chunk = direction.chunks[i];
      at = chunk.at = std::max(at, chunk.at);
      scheduler_.at(at, [this, side] { deliver(side); });
    }
    direction.last_at = std::max(direction.last_at, at);
  }
}

}  // namespace muster::sim
