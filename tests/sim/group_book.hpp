/// \file
/// Which subsets a server has to hold, worked out from what it was told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace muster::sim {

/// Resource. A subset is held until each of its members has closed it or is gone, and no longer.
class GroupBook {
 public:
  using Ranks = std::vector<std::uint32_t>;

  /// A member has opened it; it may be there already.
  void opened(std::uint64_t group, const Ranks& members);
  void closed(std::uint64_t group, const Ranks& ranks);
  /// They have left, are lost or have failed, or can't come any more.
  void gone(const Ranks& ranks);

  std::size_t open() const { return present_.size(); }

 private:
  std::map<std::uint64_t, std::set<std::uint32_t>> present_;  ///< of each group; none is empty
  std::set<std::uint32_t> gone_;
};

}  // namespace muster::sim
