#include "net/interface_spec.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <net/if.h>
#include <sys/socket.h>

#include "base/text.hpp"
#include "base/usage_error.hpp"

namespace muster::net {
namespace {

bool is_interface_name(std::string_view name) {
  const auto odd = [](char c) { return c <= ' ' || c > '~' || c == '/' || c == '^' || c == '='; };
  return !name.empty() && name.size() < IF_NAMESIZE && std::none_of(name.begin(), name.end(), odd);
}

/// Takes the family off the end of `text`. Returns what is wrong with it.
std::string take_family(std::string_view& text, int& family) {
  const std::size_t colon = text.rfind(":inet");
  if (colon == text.npos) return {};
  const std::string_view given = text.substr(colon + 1);
  if (given == "inet4") {
    family = AF_INET;
  } else if (given == "inet6") {
    family = AF_INET6;
  } else {
    return fmt::format("the family {} is not known", quoted(given));
  }
  text = text.substr(0, colon);
  return {};
}

std::string take_names(std::string_view text, InterfaceSpec& spec) {
  if (text.starts_with('^')) {
    spec.exclude = true;
    text.remove_prefix(1);
  }
  spec.exact = text.starts_with('=');
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    std::string_view name = text.substr(0, comma);
    more = comma != text.npos;
    text.remove_prefix(more ? comma + 1 : text.size());
    const bool marked = name.starts_with('=');
    if (marked && !spec.exact) return "'=' stands before the first name, and counts for all";
    if (marked) name.remove_prefix(1);
    if (name.empty()) return "a name is empty";
    if (!is_interface_name(name)) {
      return fmt::format("{} is no name of an interface", quoted(name));
    }
    spec.names.emplace_back(name);
  }
  return {};
}

}  // namespace

Result<InterfaceSpec> InterfaceSpec::parse(std::string_view text) {
  InterfaceSpec spec;
  std::string_view rest = text;
  std::string wrong = take_family(rest, spec.family);
  if (wrong.empty()) wrong = take_names(rest, spec);
  if (wrong.empty()) return spec;
  return usage_error(fmt::format("{} is no list of interfaces: {}", quoted(text), wrong),
                     "expected beginnings of names (eth,ib), exact names (=eth0), or what to leave "
                     "out (^docker); behind it :inet4 or :inet6 for one family");
}

std::string InterfaceSpec::text() const {
  std::string text = exclude ? "^" : "";
  if (exact) text += '=';
  for (const std::string& name : names) text += (&name == &names.front() ? "" : ",") + name;
  if (family == AF_INET) text += ":inet4";
  if (family == AF_INET6) text += ":inet6";
  return text;
}

std::optional<std::size_t> InterfaceSpec::place_of(std::string_view name) const {
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < names.size() && !place; ++i) {
    if (name == names[i]) place = 2 * i;
    if (!place && !exact && name.starts_with(names[i])) place = 2 * i + 1;
  }
  const bool named = place.has_value();
  if (names.empty() || exclude) return named ? std::nullopt : std::optional<std::size_t>(0);
  return place;
}

}  // namespace muster::net
