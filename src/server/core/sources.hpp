/// \file
/// Keeps noise on the port from becoming noise in the log.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <muster/deadline.hpp>

#include "base/limits.hpp"
#include "server/core/table.hpp"

namespace muster::server {

/// Resource. A token bucket for each source: one line per limits::source_line_interval. Remembers
/// at most limits::sources_max of them, so that, whatever comes, the log grows by that many lines
/// in an interval.
class Sources {
 public:
  /// Whether a line about `source` may be written now: how many were swallowed since its last one,
  /// or nothing if this one is to be swallowed too.
  std::optional<std::uint64_t> allow(std::string_view source, TimePoint now);

  std::size_t size() const { return by_name_.size(); }

 private:
  struct Source {
    std::string name;
    TimePoint last_line;
    std::uint64_t swallowed = 0;
  };

  std::list<Source> by_age_;  ///< of their last line, oldest first
  std::unordered_map<std::string, std::list<Source>::iterator, TextHash, std::equal_to<>> by_name_;
};

/// "10.0.0.1" of "10.0.0.1:4711": all ports of one host are one source.
std::string_view source_of(std::string_view address);

}  // namespace muster::server
