#include "server/core/sources.hpp"

namespace muster::server {

std::optional<std::uint64_t> Sources::allow(std::string_view source, TimePoint now) {
  const auto found = by_name_.find(source);
  if (found != by_name_.end()) {
    const auto known = found->second;
    if (now - known->last_line < limits::source_line_interval) {
      ++known->swallowed;
      return std::nullopt;
    }
    const std::uint64_t swallowed = known->swallowed;
    known->last_line = now;
    known->swallowed = 0;
    by_age_.splice(by_age_.end(), by_age_, known);
    return swallowed;
  }
  if (by_age_.size() >= limits::sources_max) {
    if (now - by_age_.front().last_line < limits::source_line_interval) return std::nullopt;
    by_name_.erase(by_age_.front().name);
    by_age_.pop_front();
  }
  by_age_.push_back({std::string(source), now});
  by_name_.emplace(source, std::prev(by_age_.end()));
  return 0;
}

std::string_view source_of(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || address.starts_with("unix")) return address;
  return address.substr(0, colon);
}

}  // namespace muster::server
