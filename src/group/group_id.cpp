#include "group/group_id.hpp"

#include <string_view>

#include <muster/digest.hpp>

namespace muster {
namespace {

/// Big-endian, as everything that is hashed.
template <class Integer>
void append(Value& out, Integer number) {
  for (std::size_t i = sizeof(Integer); i-- > 0;) {
    out.push_back(static_cast<std::byte>(number >> (8 * i)));
  }
}

}  // namespace

std::uint64_t group_id(std::uint64_t parent, std::uint32_t view,
                       std::span<const std::uint32_t> members, std::uint64_t count) {
  constexpr std::string_view label("muster group v1\0", 16);
  Value text = to_value(label);
  text.reserve(text.size() + 24 + 4 * members.size());
  append(text, parent);
  append(text, view);
  append(text, count);
  append(text, static_cast<std::uint32_t>(members.size()));
  for (const std::uint32_t rank : members) append(text, rank);
  const Digest digest = sha256(text);
  std::uint64_t id = 0;
  for (std::size_t i = 0; i < sizeof(id); ++i) {
    id = id << 8U | static_cast<std::uint64_t>(digest[i]);
  }
  return id == 0 ? 1 : id;
}

}  // namespace muster
