/// \file
/// Processes that want the server to choose their rank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/deadline.hpp>

#include "server/core/actions.hpp"
#include "server/core/roster.hpp"
#include "wire/hello.hpp"

namespace muster::server {

/// Resource. They wait until there are as many of them as ranks that nobody claims.
class Placing {
 public:
  /// Value.
  struct Seeker {
    LinkId link = 0;
    wire::ClientHello hello;
    TimePoint since;
  };

  void add(LinkId link, wire::ClientHello hello, TimePoint now) {
    seekers_.push_back({link, std::move(hello), now});
  }
  /// The link has closed; nothing if it was no seeker's.
  std::optional<Seeker> drop(LinkId link);
  std::uint32_t count() const { return static_cast<std::uint32_t>(seekers_.size()); }
  /// In order of arrival.
  const std::vector<Seeker>& all() const { return seekers_; }

  /// All of them, each with the rank it gets in its hello: `free` ranks, as many as there are
  /// seekers, ascending by host name and, of one host, by arrival.
  std::vector<Seeker> place(const Ranks& free);
  /// All of them, without ranks: there will be none.
  std::vector<Seeker> dismiss() { return std::exchange(seekers_, {}); }

 private:
  std::vector<Seeker> seekers_;  ///< in order of arrival
};

}  // namespace muster::server
