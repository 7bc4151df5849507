#include "store_words.hpp"

#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"
#include "wire/cursor.hpp"
#include "wire/many_messages.hpp"
#include "wire/prefix_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster::scenarios {
namespace {

using wire::Type;

template <class Message>
StoreMessage make(Type type, const Message& message) {
  StoreMessage made{type, {}};
  encode(message, made.body);
  return made;
}

std::uint32_t wait_ms(const Words& words) {
  return static_cast<std::uint32_t>(words.time("wait", std::chrono::milliseconds{0}).count());
}

/// The words behind the link.
std::vector<std::string> payloads(const Words& words) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < words.count(); ++i) all.push_back(to_payload(words.at(i)));
  return all;
}

StoreMessage compare_set(const Words& words) {
  const std::string key = to_payload(words.at(1));
  const std::string expected = to_payload(words.at(2));
  const std::string desired = to_payload(words.at(3));
  wire::CompareSetRequest request{key, as_bytes(expected), as_bytes(desired)};
  if (expected == "absent") request.expected = std::nullopt;
  return make(Type::compare_set, request);
}

/// Requests of several keys.
std::optional<StoreMessage> many(const Words& words) {
  const std::string& verb = words.verb();
  const std::vector<std::string> texts = payloads(words);
  const std::vector<std::string_view> keys(texts.begin(), texts.end());
  if (verb == "wait") return make(Type::wait, wire::WaitRequest{wait_ms(words), keys});
  if (verb == "multi_get") return make(Type::multi_get, wire::MultiGetRequest{keys});
  if (verb == "multi_set") {
    wire::MultiSetRequest request;
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
      request.entries.push_back({texts[i], as_bytes(texts[i + 1])});
    }
    return make(Type::multi_set, request);
  }
  if (verb == "list") {
    const std::string after = to_payload(words.text("after", "empty"));
    const auto keys_max = static_cast<std::uint32_t>(words.number("max", 4096));
    return make(Type::list, wire::ListRequest{keys.at(0), after, keys_max});
  }
  if (verb == "watch") return make(Type::watch, wire::WatchRequest{keys.at(0)});
  if (verb == "unwatch") {
    const auto number = static_cast<std::uint32_t>(to_number(words.at(1)));
    return make(Type::unwatch, wire::UnwatchRequest{number});
  }
  return std::nullopt;
}

std::string show(const std::optional<Bytes>& value) {
  return value ? show_bytes(*value) : "absent";
}

std::string show_page(Bytes body) {
  const auto page = wire::decode_list_answer(body).value();
  std::string text = fmt::format("{} keys", page.keys.size());
  for (const std::string_view key : page.keys) text += " " + show_bytes(as_bytes(key));
  return text + (page.more ? " and more" : "");
}

std::string show_values(Bytes body) {
  const auto answer = wire::decode_multi_get_answer(body).value();
  std::string text = "ok";
  for (const auto& value : answer.values) text += " " + show(value);
  return text;
}

}  // namespace

std::optional<StoreMessage> store_message(const Words& words) {
  const std::string& verb = words.verb();
  if (verb == "compare_set") return compare_set(words);
  if (verb == "add") {
    const auto delta = static_cast<std::int64_t>(std::stoll(words.at(2)));
    return make(Type::add, wire::AddRequest{words.at(1), delta});
  }
  if (verb == "get" || verb == "remove") {
    const std::string key = to_payload(words.at(1));
    if (verb == "get") return make(Type::get, wire::GetRequest{key, wait_ms(words)});
    return make(Type::remove, wire::RemoveRequest{key});
  }
  if (verb == "set" || verb == "set_owned" || verb == "append") {
    const std::string key = to_payload(words.at(1));
    const std::string value = to_payload(words.at(2));
    const Type type = verb == "set"         ? Type::set
                      : verb == "set_owned" ? Type::set_owned
                                            : Type::append;
    return make(type, wire::SetRequest{key, as_bytes(value)});
  }
  return many(words);
}

std::optional<std::string> show_store_answer(Type type, Bytes body) {
  switch (type) {
    case Type::get:
      return show_bytes(body);
    case Type::add:
      return fmt::format("{}", wire::Reader(body).i64());
    case Type::append:
      return fmt::format("{} bytes", wire::Reader(body).u64());
    case Type::remove:
      return wire::Reader(body).boolean() ? "was there" : "was not there";
    case Type::compare_set: {
      const auto answer = wire::decode_compare_set_answer(body).value();
      return fmt::format("{}, before: {}", answer.swapped ? "swapped" : "not swapped",
                         show(answer.before));
    }
    case Type::multi_get:
      return show_values(body);
    case Type::list:
      return show_page(body);
    case Type::changed: {
      const auto changed = wire::decode_changed(body).value();
      return fmt::format("{} is {}", quoted(changed.key), show(changed.value));
    }
    default:
      return std::nullopt;
  }
}

std::string show_bytes(Bytes bytes) {
  constexpr std::size_t shown_max = 32;
  if (bytes.size() <= shown_max) return quoted(as_text(bytes));
  return fmt::format("{} and {} bytes more", quoted(as_text(bytes.first(4))), bytes.size() - 4);
}

}  // namespace muster::scenarios
