/// \file
/// One collective while it is open: what its ranks agree on, and what they have brought.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>
#include <muster/digest.hpp>
#include <muster/kind.hpp>

#include "server/core/outbox.hpp"
#include "server/core/roster.hpp"
#include "wire/round_messages.hpp"

namespace muster::server {

/// Value. Two sides that are in different calls: "barrier 'a' #3" and "allgather 'b' #3".
struct Difference {
  std::string here;   ///< the call of those who came before
  std::string there;  ///< the newcomer's
  Ranks ranks;        ///< of the newcomer: who is there; its others are here
};

/// Resource. Reused from round to round, so that a steady job allocates nothing here but results.
class Round {
 public:
  /// The first arrival says what the round is. `group_size` is how many will come.
  void open(const wire::Arrive& arrive, std::uint32_t group_size, TimePoint now);
  bool is_open() const { return open_; }

  /// Whether the ranks of `arrive` call something else than the round's.
  std::optional<Difference> difference(const wire::Arrive& arrive) const;
  /// Takes the payloads, by copy, and remembers who is to be answered.
  void add(const wire::Arrive& arrive, const ReplyTo& from);
  /// Remembers who is to be answered, without its payloads.
  void add_answer(const ReplyTo& from) { answers_.push_back({.to = from}); }
  /// The link is gone: nothing is to be sent there.
  void drop_link(LinkId link);
  void end_by(TimePoint deadline) { deadline_ = std::min(deadline_, deadline); }

  std::uint64_t sequence() const { return sequence_; }
  std::uint32_t arrived() const { return arrived_; }
  std::size_t payload_bytes() const { return payload_.size(); }
  TimePoint since() const { return since_; }
  TimePoint deadline() const { return deadline_; }
  /// "barrier 'epoch end'".
  std::string what() const;
  /// "barrier 'epoch end' #17".
  std::string text() const;

  /// All have arrived: answers everyone, and is closed.
  void finish(Outbox& out);
  /// Answers everyone with `failure`, and is closed.
  void fail(const SharedFailure& failure, Outbox& out);

 private:
  struct Answer {
    ReplyTo to;
    bool holds_root = false;
    std::uint32_t first = 0;  ///< of its ranks, in ranks_
    std::uint32_t count = 0;
  };
  struct Slice {
    std::size_t offset = 0;
    std::size_t length = 0;
  };

  std::string detail(std::uint32_t root, const Digest& token, std::size_t bytes,
                     const wire::Arrive& other) const;
  Bytes part(std::uint32_t rank) const;
  std::size_t bytes_for_one(std::size_t payload_bytes) const;
  void give_all(Outbox& out);
  void scatter(Outbox& out);
  void transpose(Outbox& out);
  template <class PartsOf>
  void deal(PartsOf parts_of, Outbox& out);
  void close();

  bool open_ = false;
  Kind kind_ = Kind::barrier;
  std::uint32_t root_ = 0;
  std::uint64_t sequence_ = 0;
  std::size_t part_bytes_ = 0;  ///< of an allgather or alltoall: what each rank brings
  std::string label_;
  Digest token_{};
  TimePoint since_;
  TimePoint deadline_ = TimePoint::max();

  std::uint32_t arrived_ = 0;
  std::vector<Answer> answers_;
  std::vector<Slice> slices_;         ///< by rank, into payload_; empty for a barrier
  std::vector<std::uint32_t> ranks_;  ///< if its kind deals: who arrived, in order of arrival
  Value payload_;                     ///< in the order of arrival
};

}  // namespace muster::server
