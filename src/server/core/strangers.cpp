#include "server/core/strangers.hpp"

#include <tuple>

#include "base/assert.hpp"

namespace muster::server {

bool Strangers::Turn::operator<(const Turn& other) const {
  return std::tie(other.size, all_speak, first) < std::tie(size, other.all_speak, other.first);
}

Strangers::Turn Strangers::turn_of(const Source& source) {
  const bool all_speak = source.silent.empty();
  return {source.size(), all_speak, *(all_speak ? source.speaking : source.silent).begin()};
}

template <class Change>
void Strangers::change(const std::string& source, Change&& change) {
  const auto found = sources_.try_emplace(source).first;
  Source& links = found->second;
  if (links.size() != 0) turns_.erase(turn_of(links));
  change(links);
  if (links.size() == 0) {
    sources_.erase(found);
  } else {
    turns_.insert(turn_of(links));
  }
}

std::optional<LinkId> Strangers::opened(LinkId link, std::string_view source, TimePoint now) {
  std::optional<LinkId> evicted;
  if (links_.size() >= links_max_) evicted = take_one();
  const auto [at, fresh] = links_.emplace(link, Stranger{now, std::string(source)});
  MUSTER_ASSERT(fresh);
  by_age_.emplace(now, link);
  change(at->second.source, [&](Source& links) { links.silent.emplace(now, link); });
  return evicted;
}

void Strangers::spoke(LinkId link) {
  const auto found = links_.find(link);
  if (found == links_.end() || found->second.state != State::silent) return;
  Stranger& stranger = found->second;
  stranger.state = State::speaking;
  change(stranger.source, [&](Source& links) {
    links.speaking.insert(links.silent.extract({stranger.opened, link}));
  });
}

void Strangers::vouched(LinkId link) {
  const auto found = links_.find(link);
  if (found == links_.end() || found->second.state == State::vouched) return;
  Stranger& stranger = found->second;
  change(stranger.source, [&](Source& links) {
    (stranger.state == State::silent ? links.silent : links.speaking)
        .erase({stranger.opened, link});
  });
  stranger.state = State::vouched;
}

void Strangers::gone(LinkId link) {
  vouched(link);
  const auto found = links_.find(link);
  if (found == links_.end()) return;
  by_age_.erase({found->second.opened, link});
  links_.erase(found);
}

std::optional<LinkId> Strangers::take_one() {
  if (turns_.empty()) return std::nullopt;
  const LinkId link = turns_.begin()->first.second;
  gone(link);
  return link;
}

std::vector<LinkId> Strangers::take_due(TimePoint now) {
  std::vector<LinkId> due;
  while (!by_age_.empty() && by_age_.begin()->first + limits::hello_time_max <= now) {
    due.push_back(by_age_.begin()->second);
    gone(due.back());
  }
  return due;
}

std::optional<TimePoint> Strangers::next_deadline() const {
  if (by_age_.empty()) return std::nullopt;
  return by_age_.begin()->first + limits::hello_time_max;
}

}  // namespace muster::server
