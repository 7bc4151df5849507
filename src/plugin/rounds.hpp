/// \file
/// One round of a group, by what its plugin has for it.
#pragma once

#include <cstdint>
#include <memory>

#include <muster/group.hpp>

#include "plugin/session.hpp"

namespace muster::plugin {

/// Value. The group that a round is of, and this rank's place in it.
struct Place {
  void* group = nullptr;
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
};

/// Resource; one call at a time. How a group's rounds are done.
class RoundMaker {
 public:
  virtual ~RoundMaker() = default;
  /// `call` has been checked; `sequence` counts from 1.
  virtual Result<Parts> round(const Call& call, std::uint64_t sequence, TimePoint deadline) = 0;
};

/// By the plugin's exchange. What it returns is checked, not believed.
std::unique_ptr<RoundMaker> make_exchange_rounds(const Session& session, const Place& place);

/// By its allgather: every rank is given what all bring, and judges it as a server would. Since all
/// judge the same by the same rules, there is one verdict. A round costs one allgather of 256 bytes
/// a rank, and another one of the largest contribution if that is more.
std::unique_ptr<RoundMaker> make_allgather_rounds(const Session& session, const Place& place);

}  // namespace muster::plugin
