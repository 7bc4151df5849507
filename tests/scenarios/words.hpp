/// \file
/// The words of a command line: `arrive 1 barrier label=x left=2s`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "server/core/roster.hpp"

namespace muster::scenarios {

/// The scenario itself is wrong.
struct Mistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Value. The first word is the verb; `name=value` words are options, the rest stand in order.
class Words {
 public:
  explicit Words(std::string_view line);

  const std::string& verb() const { return plain_.at(0); }
  /// The nth word after the verb; a mistake if there is none.
  const std::string& at(std::size_t n) const;
  /// How many words stand behind the verb.
  std::size_t count() const { return plain_.size() - 1; }
  bool has(std::string_view name) const { return options_.find(name) != options_.end(); }
  /// All words from the nth after the verb on, in one text.
  std::string rest(std::size_t n) const;

  std::string text(std::string_view name, std::string_view standard = {}) const;
  std::uint64_t number(std::string_view name, std::uint64_t standard) const;
  std::chrono::milliseconds time(std::string_view name, std::chrono::milliseconds standard) const;
  std::optional<std::string> option(std::string_view name) const;

 private:
  std::vector<std::string> plain_;
  std::map<std::string, std::string, std::less<>> options_;
};

std::uint64_t to_number(std::string_view text);
/// "2s", "50ms", "+1s".
std::chrono::milliseconds to_time(std::string_view text);
/// "0-2,5", ascending.
std::vector<std::uint32_t> to_ranks(std::string_view text);
/// "abc", or "x*5000" for so many of one letter; "empty" for nothing.
std::string to_payload(std::string_view text);

}  // namespace muster::scenarios
