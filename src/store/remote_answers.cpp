#include "store/remote_answers.hpp"

#include <fmt/format.h>
#include <string>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "wire/many_messages.hpp"
#include "wire/prefix_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster {
namespace {

std::string whose(const Operation& operation) {
  const std::string key = quoted(operation.key);
  if (operation.key_count != 1) return fmt::format("{} keys from {}", operation.key_count, key);
  return operation.name == "list" || operation.name == "watch" ? "prefix " + key : "key " + key;
}

}  // namespace

Error about(const Operation& operation, Error error) {
  if (operation.key.empty()) {
    error.what = fmt::format("{}: {}", operation.name, error.what);
  } else if (error.what.find(quoted(operation.key)) == std::string::npos) {
    error.what = fmt::format("{} of {}: {}", operation.name, whose(operation), error.what);
  }
  return error;
}

Error malformed(const Operation& operation) {
  return about(operation, Error{.code = Code::protocol,
                                .phase = Phase::operation,
                                .what = "the server's answer is malformed",
                                .advice = "check that server and ranks run the same release"});
}

Result<void> check_swap(std::string_view key, std::optional<Bytes> expected, Bytes desired) {
  const std::size_t total = expected.value_or(Bytes{}).size() + desired.size();
  if (total <= limits::value_bytes_max) return {};
  return Error{.code = Code::limit,
               .what = fmt::format("the values of a compare_set have at most {} bytes together, "
                                   "those for key {} have {}",
                                   limits::value_bytes_max, quoted(key), total)};
}

Result<void> read_nothing(const Operation& operation, Result<Value> answer) {
  if (!answer) return std::move(answer).error();
  if (!answer->empty()) return malformed(operation);
  return {};
}

Result<bool> read_truth(const Operation& operation, Result<Value> answer) {
  if (!answer) return std::move(answer).error();
  wire::Reader reader(*answer);
  const bool read = reader.boolean();
  if (!reader.done()) return malformed(operation);
  return read;
}

Result<Swap> read_swap(const Operation& operation, Result<Value> answer) {
  if (!answer) return std::move(answer).error();
  const auto read = wire::decode_compare_set_answer(*answer);
  if (!read) return malformed(operation);
  Swap swap{.swapped = read->swapped, .before = {}};
  if (read->before) swap.before = to_value(*read->before);
  return swap;
}

Result<std::vector<std::optional<Value>>> read_values(const Operation& operation,
                                                      Result<Value> answer) {
  if (!answer) return std::move(answer).error();
  const auto read = wire::decode_multi_get_answer(*answer);
  if (!read || read->values.size() != operation.key_count) return malformed(operation);
  std::vector<std::optional<Value>> values(read->values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (read->values[i]) values[i] = to_value(*read->values[i]);
  }
  return values;
}

Result<KeyPage> read_page(const Operation& operation, Result<Value> answer) {
  if (!answer) return std::move(answer).error();
  const auto read = wire::decode_list_answer(*answer);
  if (!read) return malformed(operation);
  return KeyPage{.keys = {read->keys.begin(), read->keys.end()}, .more = read->more};
}

std::optional<Change> read_change(Bytes body) {
  const auto read = wire::decode_changed(body);
  if (!read) return std::nullopt;
  Change change{.key = std::string(read->key), .value = {}};
  if (read->value) change.value = to_value(*read->value);
  return change;
}

}  // namespace muster
