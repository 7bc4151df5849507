#include "group_plants.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "wire/group_messages.hpp"
#include "wire/notices.hpp"
#include "wire/round_messages.hpp"

namespace muster::sim {
namespace {

using Asked = std::pair<server::LinkId, std::uint32_t>;  ///< a request: link and sequence number

/// The members of the subsets that are opened, in their order.
class Members {
 public:
  void see(const wire::FrameHeader& header, Bytes body) {
    if (header.type != wire::Type::open_group) return;
    if (const auto open = wire::decode_open_group(body)) of_.emplace(open->group, open->members);
  }
  /// Empty for the world.
  const std::vector<std::uint32_t>& of(std::uint64_t group) { return of_[group]; }

 private:
  std::map<std::uint64_t, std::vector<std::uint32_t>> of_;
};

class EarlyRound : public Plant {
 public:
  explicit EarlyRound(std::uint32_t size) : size_(size) {}

  bool request(server::LinkId link, const wire::FrameHeader& header, Value& body) override {
    members_.see(header, body);
    if (header.type != wire::Type::arrive) return true;
    const auto arrive = wire::decode_arrive(body);
    if (!arrive || arrive->kind != Kind::barrier) return true;
    const bool in_world = arrive->group == wire::world_group;
    const std::size_t size = in_world ? size_ : members_.of(arrive->group).size();
    auto& waiting = waiting_[{arrive->group, arrive->sequence}];
    waiting.push_back({link, header.sequence});
    if (waiting.size() + 1 != size) return true;
    for (const auto& [each, sequence] : waiting) {
      Forged ok{each, {wire::Type::arrive, 0, 0, sequence}, {}};
      wire::encode_verdict({}, ok.body);
      forged.push_back(std::move(ok));
      answered_.insert({each, sequence});
    }
    return true;
  }
  bool message(server::LinkId link, wire::FrameHeader& header, Value&) override {
    return !answered_.contains({link, header.sequence});
  }

 private:
  std::uint32_t size_;
  Members members_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Asked>> waiting_;
  std::set<Asked> answered_;
};

class ForgottenClose : public Plant {
 public:
  bool request(server::LinkId link, const wire::FrameHeader& header, Value&) override {
    if (header.type != wire::Type::close_group) return true;
    forged.push_back({link, {wire::Type::close_group, 0, 0, header.sequence}, {}});
    return false;
  }
};

/// Which group each answer of a round is about.
class RoundsOfGroups {
 public:
  void see(server::LinkId link, const wire::FrameHeader& header, Bytes body) {
    members_.see(header, body);
    if (header.type != wire::Type::arrive) return;
    if (const auto arrive = wire::decode_arrive(body)) {
      group_of_[{link, header.sequence}] = arrive->group;
    }
  }
  /// Empty if it is no verdict, or the world's.
  const std::vector<std::uint32_t>& members(server::LinkId link, const wire::FrameHeader& header) {
    const bool verdict = header.type == wire::Type::arrive;
    return members_.of(verdict ? group_of_[{link, header.sequence}] : wire::world_group);
  }

 private:
  Members members_;
  std::map<Asked, std::uint64_t> group_of_;
};

class ForeignName : public Plant {
 public:
  explicit ForeignName(std::uint32_t size) : size_(size) {}

  bool request(server::LinkId link, const wire::FrameHeader& header, Value& body) override {
    rounds_.see(link, header, body);
    return true;
  }
  bool message(server::LinkId link, wire::FrameHeader& header, Value& body) override {
    const std::vector<std::uint32_t>& members = rounds_.members(link, header);
    auto failure = header.result == 0 ? std::nullopt : wire::decode_failure(body);
    if (members.empty() || members.size() == size_ || !failure || failure->who.empty()) return true;
    std::uint32_t foreign = 0;
    while (std::ranges::find(members, foreign) != members.end()) ++foreign;
    failure->who.back().rank = foreign;
    body.clear();
    wire::encode(*failure, body);
    return true;
  }

 private:
  std::uint32_t size_;
  RoundsOfGroups rounds_;
};

class PartsByJobRank : public Plant {
 public:
  bool request(server::LinkId link, const wire::FrameHeader& header, Value& body) override {
    rounds_.see(link, header, body);
    return true;
  }
  bool message(server::LinkId link, wire::FrameHeader& header, Value& body) override {
    const std::vector<std::uint32_t>& members = rounds_.members(link, header);
    if (members.empty() || header.result != 0) return true;
    const auto parts = wire::decode_verdict(to_value(body));
    if (!parts || parts->size() != members.size()) return true;  // one rank's part, or none
    std::map<std::uint32_t, Bytes> by_rank;
    for (std::uint32_t i = 0; i < members.size(); ++i) by_rank[members[i]] = (*parts)[i];
    std::vector<Bytes> sorted;
    for (const auto& [rank, part] : by_rank) sorted.push_back(part);
    body.clear();
    wire::encode_verdict(sorted, body);
    return true;
  }

 private:
  RoundsOfGroups rounds_;
};

}  // namespace

std::unique_ptr<Plant> make_early_round(std::uint32_t size) {
  return std::make_unique<EarlyRound>(size);
}

std::unique_ptr<Plant> make_foreign_name(std::uint32_t size) {
  return std::make_unique<ForeignName>(size);
}

std::unique_ptr<Plant> make_forgotten_close() {
  return std::make_unique<ForgottenClose>();
}

std::unique_ptr<Plant> make_parts_by_job_rank() {
  return std::make_unique<PartsByJobRank>();
}

}  // namespace muster::sim
