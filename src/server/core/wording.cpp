#include "server/core/wording.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/seconds.hpp"
#include "base/text.hpp"
#include "server/core/table.hpp"

namespace muster::server {

std::string ranks_text(std::span<const std::uint32_t> ascending) {
  return (ascending.size() == 1 ? "rank " : "ranks ") + rank_ranges(ascending);
}

std::string seconds_text(Duration time) {
  return fmt::format("{:.3f} s", to_seconds(time));
}

std::string call_text(Kind kind, std::string_view label) {
  return label.empty() ? name(kind) : fmt::format("{} {}", name(kind), quoted(label));
}

std::string call_text(Kind kind, std::string_view label, std::uint64_t sequence) {
  return fmt::format("{} #{}", call_text(kind, label), sequence);
}

std::string keys_text(std::span<const std::string> keys) {
  constexpr std::size_t named_max = 8;
  std::string text = keys.size() == 1 ? "key " : "keys ";
  for (std::size_t i = 0; i < std::min(keys.size(), named_max); ++i) {
    text += (i == 0 ? "" : ", ") + quoted(keys[i]);
  }
  if (keys.size() > named_max) text += fmt::format(" and {} more", keys.size() - named_max);
  return text;
}

std::string departure_text(const Departure& departure) {
  const char* how = departure.code == Code::rank_left     ? "left"
                    : departure.code == Code::rank_failed ? "failed"
                                                          : "was lost";
  return fmt::format("{} {}", departure.who.text(), how);
}

std::string message_text(wire::Type type) {
  switch (type) {
    case wire::Type::set:
      return "SET";
    case wire::Type::get:
      return "GET";
    case wire::Type::add:
      return "ADD";
    case wire::Type::remove:
      return "REMOVE";
    case wire::Type::append:
      return "APPEND";
    case wire::Type::compare_set:
      return "COMPARE_SET";
    case wire::Type::wait:
      return "WAIT";
    case wire::Type::list:
      return "LIST";
    case wire::Type::watch:
      return "WATCH";
    case wire::Type::unwatch:
      return "UNWATCH";
    case wire::Type::multi_get:
      return "MULTI_GET";
    case wire::Type::multi_set:
      return "MULTI_SET";
    case wire::Type::set_owned:
      return "SET_OWNED";
    case wire::Type::arrive:
      return "ARRIVE";
    case wire::Type::status:
      return "STATUS";
    case wire::Type::fail:
      return "FAIL";
    case wire::Type::leave:
      return "LEAVE";
    case wire::Type::open_group:
      return "OPEN_GROUP";
    case wire::Type::close_group:
      return "CLOSE_GROUP";
    default:
      return fmt::format("message of type {}", static_cast<unsigned>(type));
  }
}

}  // namespace muster::server
