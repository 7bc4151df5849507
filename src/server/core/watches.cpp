#include "server/core/watches.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "wire/prefix_messages.hpp"

namespace muster::server {
namespace {

std::string_view common(std::string_view a, std::string_view b) {
  return a.substr(0, static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin()));
}

}  // namespace

void Watches::add(const ReplyTo& watch, std::string_view prefix) {
  auto at = by_prefix_.find(prefix);
  if (at == by_prefix_.end()) at = by_prefix_.try_emplace(std::string(prefix)).first;
  at->second.emplace(watch.link, watch.sequence);
  const bool fresh = by_link_[watch.link].emplace(watch.sequence, at).second;
  MUSTER_ASSERT(fresh);
  ++size_;
}

bool Watches::remove(LinkId link, std::uint32_t sequence) {
  if (!contains(link, sequence)) return false;
  const auto of_link = by_link_.find(link);
  const auto watch = of_link->second.find(sequence);
  const Prefixes::iterator at = watch->second;
  at->second.erase({link, sequence});
  if (at->second.empty()) by_prefix_.erase(at);
  of_link->second.erase(watch);
  if (of_link->second.empty()) by_link_.erase(of_link);
  --size_;
  return true;
}

void Watches::drop_link(LinkId link) {
  for (std::size_t left = count_of(link); left > 0; --left) {
    remove(link, by_link_.find(link)->second.begin()->first);
  }
}

template <class Each>
void Watches::each_prefix_of(std::string_view key, Each&& each) const {
  // From the longest prefix of the key to the shortest: what sorts last at or before `probe` is one
  // of them, or tells how much of the probe no other can share.
  std::string_view probe = key;
  while (!by_prefix_.empty()) {
    auto at = by_prefix_.upper_bound(probe);
    if (at == by_prefix_.begin()) return;
    --at;
    if (!probe.starts_with(at->first)) {
      probe = common(probe, at->first);
      continue;
    }
    each(at->second);
    if (at->first.empty()) return;
    probe = std::string_view(at->first).substr(0, at->first.size() - 1);
  }
}

std::size_t Watches::count_told(std::string_view key) const {
  std::size_t count = 0;
  each_prefix_of(key, [&](const auto& watches) { count += watches.size(); });
  return count;
}

void Watches::tell(std::string_view key, const Stored* value, Outbox& out) const {
  if (by_prefix_.empty()) return;
  const Bytes bytes = value == nullptr ? Bytes{} : value->bytes();
  const Shared tail = value == nullptr ? nullptr : value->shared();
  wire::Changed changed{key, std::nullopt};
  if (value != nullptr) changed.value = tail ? Bytes{} : bytes;
  each_prefix_of(key, [&](const auto& watches) {
    for (const auto& [link, sequence] : watches) {
      out.headed(
          {link, wire::Type::changed, sequence}, [&](Value& head) { encode(changed, head); }, tail);
    }
  });
}

bool Watches::contains(LinkId link, std::uint32_t sequence) const {
  const auto of_link = by_link_.find(link);
  return of_link != by_link_.end() && of_link->second.contains(sequence);
}

std::size_t Watches::count_of(LinkId link) const {
  const auto of_link = by_link_.find(link);
  return of_link == by_link_.end() ? 0 : of_link->second.size();
}

}  // namespace muster::server
