/// \file
/// Links that have not been admitted yet: so many, for so long, and who goes when there is no room.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <muster/deadline.hpp>

#include "base/limits.hpp"
#include "server/core/actions.hpp"

namespace muster::server {

/// Resource. When room is needed the fullest source gives it, so that a crowd from one place keeps
/// nobody out who comes from another: of that source the oldest link that has not sent a byte goes;
/// if all have, the oldest. Of sources that are equally full the same decides between them.
class Strangers {
 public:
  explicit Strangers(std::size_t links_max = limits::strangers_max) : links_max_(links_max) {}

  /// Returns who has to go, if that was one too many.
  std::optional<LinkId> opened(LinkId link, std::string_view source, TimePoint now);
  void spoke(LinkId link);
  /// It is known to belong to the job: it does not go for others, and only its time is bounded.
  void vouched(LinkId link);
  /// Admitted or closed. Does nothing for a link that is no stranger.
  void gone(LinkId link);
  /// Room is needed: who has to go, if there is anyone; it is a stranger no more.
  std::optional<LinkId> take_one();

  /// Those whose limits::hello_time_max is over, oldest first; they are strangers no more.
  std::vector<LinkId> take_due(TimePoint now);
  std::optional<TimePoint> next_deadline() const;
  std::size_t size() const { return links_.size(); }

 private:
  using Age = std::pair<TimePoint, LinkId>;
  enum class State : std::uint8_t { silent, speaking, vouched };
  struct Stranger {
    TimePoint opened;
    std::string source;
    State state = State::silent;
  };
  /// Its links that may have to go.
  struct Source {
    std::set<Age> silent;
    std::set<Age> speaking;
    std::size_t size() const { return silent.size() + speaking.size(); }
  };
  /// When a source's turn to give room comes, and its link that goes then. The least is next.
  struct Turn {
    std::size_t size;
    bool all_speak;
    Age first;
    bool operator<(const Turn& other) const;
  };

  static Turn turn_of(const Source& source);
  /// Changes what a source has, and with it its turn.
  template <class Change>
  void change(const std::string& source, Change&& change);

  const std::size_t links_max_;
  std::unordered_map<LinkId, Stranger> links_;
  std::set<Age> by_age_;
  std::unordered_map<std::string, Source> sources_;
  std::set<Turn> turns_;
};

}  // namespace muster::server
