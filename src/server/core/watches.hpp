/// \file
/// Who is told of every change of the keys of a prefix.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "server/core/outbox.hpp"
#include "server/core/stored.hpp"

namespace muster::server {

/// Resource. A watch is named by its link and the sequence number of its WATCH.
class Watches {
 public:
  void add(const ReplyTo& watch, std::string_view prefix);
  /// False if there is none of that name.
  bool remove(LinkId link, std::uint32_t sequence);
  void drop_link(LinkId link);

  /// Sends what is under `key` now, null for nothing, to each watch that it concerns. Looks at no
  /// others: costs by the watches told and the length of the key.
  void tell(std::string_view key, const Stored* value, Outbox& out) const;
  /// How many a change of `key` is told to.
  std::size_t count_told(std::string_view key) const;

  bool contains(LinkId link, std::uint32_t sequence) const;
  std::size_t count_of(LinkId link) const;
  std::size_t size() const { return size_; }

 private:
  /// Calls `each` with the watches of every prefix of `key`.
  template <class Each>
  void each_prefix_of(std::string_view key, Each&& each) const;
  using Prefixes = std::map<std::string, std::set<std::pair<LinkId, std::uint32_t>>, std::less<>>;

  std::size_t size_ = 0;
  Prefixes by_prefix_;
  std::unordered_map<LinkId, std::map<std::uint32_t, Prefixes::iterator>> by_link_;
};

}  // namespace muster::server
