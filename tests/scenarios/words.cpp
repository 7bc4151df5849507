#include "words.hpp"

#include <charconv>
#include <sstream>

namespace muster::scenarios {

Words::Words(std::string_view line) {
  std::istringstream in{std::string(line)};
  for (std::string word; in >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      plain_.push_back(word);
    } else {
      options_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  if (plain_.empty()) throw Mistake("a command without a verb: " + std::string(line));
}

const std::string& Words::at(std::size_t n) const {
  if (n + 1 >= plain_.size()) throw Mistake(verb() + " needs more words");
  return plain_[n + 1];
}

std::string Words::rest(std::size_t n) const {
  std::string text = at(n);
  for (std::size_t i = n + 2; i < plain_.size(); ++i) text += " " + plain_[i];
  return text;
}

std::optional<std::string> Words::option(std::string_view name) const {
  const auto found = options_.find(name);
  if (found == options_.end()) return std::nullopt;
  return found->second;
}

std::string Words::text(std::string_view name, std::string_view standard) const {
  return option(name).value_or(std::string(standard));
}

std::uint64_t Words::number(std::string_view name, std::uint64_t standard) const {
  const auto given = option(name);
  return given ? to_number(*given) : standard;
}

std::chrono::milliseconds Words::time(std::string_view name,
                                      std::chrono::milliseconds standard) const {
  const auto given = option(name);
  return given ? to_time(*given) : standard;
}

std::uint64_t to_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Mistake("not a number: " + std::string(text));
  }
  return number;
}

std::chrono::milliseconds to_time(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.ends_with("ms")) {
    return std::chrono::milliseconds{to_number(text.substr(0, text.size() - 2))};
  }
  if (text.ends_with("s")) {
    return std::chrono::seconds{to_number(text.substr(0, text.size() - 1))};
  }
  throw Mistake("not a time: " + std::string(text));
}

std::vector<std::uint32_t> to_ranks(std::string_view text) {
  std::vector<std::uint32_t> ranks;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t dash = item.find('-');
    const auto first = to_number(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_number(item.substr(dash + 1));
    for (auto rank = first; rank <= last; ++rank) {
      ranks.push_back(static_cast<std::uint32_t>(rank));
    }
  }
  return ranks;
}

std::string to_payload(std::string_view text) {
  if (text == "empty") return {};
  const std::size_t star = text.find('*');
  if (star != 1) return std::string(text);
  return std::string(to_number(text.substr(2)), text[0]);
}

}  // namespace muster::scenarios
