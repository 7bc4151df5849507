/// \file
/// A connection between a client and a server, as bad as a real one: late, in pieces, stalled, cut;
/// but what arrives is in order, and nothing is missing in the middle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>

#include "dice.hpp"
#include "scheduler.hpp"

namespace muster::sim {

/// Value. How the bytes of one direction travel.
struct Weather {
  Duration delay_min{};
  Duration delay_max{};
  unsigned split_percent = 0;  ///< of writes that arrive in several pieces
  unsigned merge_percent = 0;  ///< of pieces that wait for the next one, if both are due
};

enum class Side : std::uint8_t { client, server };
constexpr Side other(Side side) {
  return side == Side::client ? Side::server : Side::client;
}

/// In place of a time after which a side is told.
inline constexpr Duration never = Duration::max();

/// Who takes what arrives at one side. Called by the scheduler, never from within a write; must not
/// write at the other side.
class Receiver {
 public:
  virtual ~Receiver() = default;
  /// The bytes live until it returns.
  virtual void received(Bytes bytes) = 0;
  /// Last call: nothing arrives any more, and what is written goes nowhere.
  virtual void closed(std::string_view why) = 0;
};

/// Resource; lives as long as its scheduler runs.
class Link {
 public:
  Link(Scheduler& scheduler, Dice& dice, const Weather& to_client, const Weather& to_server);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Who hears what arrives at `side`; nullptr: it is dropped.
  void attach(Side side, Receiver* receiver) { to(side).receiver = receiver; }

  /// Of a side that has been closed or cut: goes nowhere.
  void write(Side from, Bytes bytes);

  /// `from` hears nothing more; the other side gets what is on its way, then the end.
  void close(Side from);
  /// As when a host dies or a router forgets: what is on its way is lost, and each side is told
  /// after its own time, or never.
  void cut(Duration client_notices, Duration server_notices);

  /// What `from` writes, and has written, is held back until heal().
  void stall(Side from);
  void heal();

  /// Something has kept, or may yet keep, bytes from arriving: for who judges the ends.
  bool disturbed() const { return disturbed_; }

 private:
  struct Chunk {
    std::size_t bytes = 0;
    TimePoint at;
  };
  /// What travels to one side.
  struct Direction {
    Weather weather;
    Receiver* receiver = nullptr;
    Value bytes;  ///< those from `head` on are on their way, chunk after chunk
    std::size_t head = 0;
    std::vector<Chunk> chunks;
    std::size_t next_chunk = 0;
    TimePoint last_at = TimePoint::min();
    bool stalled = false;
    bool lost = false;        ///< what is written goes nowhere
    bool ends = false;        ///< after the last chunk
    bool over = false;        ///< nothing is delivered any more
    bool delivering = false;  ///< the receiver looks at `bytes`

    bool empty() const { return next_chunk == chunks.size(); }
    void drop();
  };

  Direction& to(Side side) { return directions_[static_cast<std::size_t>(side)]; }
  void add_chunk(Side to_side, std::size_t bytes);
  void deliver(Side to_side);
  std::size_t take_due(Direction& direction);
  void end(Side to_side, std::string_view why);

  Scheduler& scheduler_;
  Dice& dice_;
  std::array<Direction, 2> directions_;
  bool disturbed_ = false;
};

}  // namespace muster::sim
