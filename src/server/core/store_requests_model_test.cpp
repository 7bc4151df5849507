// The store's requests against the slow obvious reference: a map, and a list of who waits.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "server/core/core_fixture.hpp"
#include "server/core/store_requests.hpp"
#include "wire/cursor.hpp"
#include "wire/many_messages.hpp"
#include "wire/prefix_messages.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using wire::Type;

constexpr LinkId watcher = 100;
constexpr std::size_t quota = 2500;
constexpr std::uint32_t ranks = 3;

/// What a change must be told as: "k=v", "k gone".
std::string change_text(std::string_view key, std::optional<std::string_view> value) {
  return std::string(key) + (value ? "=" + std::string(*value) : " gone");
}

/// What one request or departure must come to.
struct Outcome {
  std::optional<Code> failed;
  std::vector<std::string> changes;
  std::map<std::uint32_t, Code> woken;  ///< by sequence number; Code{} for a good answer
};

/// The reference.
struct Model {
  struct Cell {
    std::string value;
    std::optional<std::uint32_t> owner;
  };
  using Cells = std::map<std::string, Cell>;

  std::size_t cost(const Cells& of) const {
    std::size_t bytes = 0;
    for (const auto& [key, cell] : of) {
      bytes += Table::entry_bytes + key.size() + cell.value.size();
      if (cell.owner) bytes += Table::owned_bytes;
    }
    for (const auto& [key, code] : gone) {
      if (!of.contains(key)) bytes += Table::entry_bytes + key.size();
    }
    return bytes;
  }

  Outcome put(const std::map<std::string, std::string>& entries,
              std::optional<std::uint32_t> owner) {
    Cells changed = cells;
    for (const auto& [key, value] : entries) changed[key] = {value, owner};
    if (cost(changed) > quota) return {.failed = Code::quota};
    cells = std::move(changed);
    Outcome outcome;
    for (const auto& [key, value] : entries) {
      gone.erase(key);
      outcome.changes.push_back(change_text(key, value));
    }
    wake(outcome);
    return outcome;
  }

  Outcome remove(const std::string& key) {
    if (cells.erase(key) == 0) return {};
    return {.changes = {change_text(key, std::nullopt)}};
  }

  Outcome depart(std::uint32_t rank, Code code) {
    Outcome outcome;
    for (auto cell = cells.begin(); cell != cells.end();) {
      const std::string key = cell->first;
      const bool goes = cell->second.owner == rank;
      cell = goes ? cells.erase(cell) : std::next(cell);
      if (!goes) continue;
      gone[key] = code;
      outcome.changes.push_back(change_text(key, std::nullopt));
      std::erase_if(waiting, [&](const auto& wait) {
        const bool ends = wait.second.contains(key);
        if (ends) outcome.woken[wait.first] = code;
        return ends;
      });
    }
    return outcome;
  }

  Outcome wait(std::uint32_t sequence, const std::set<std::string>& keys) {
    Outcome outcome;
    for (const std::string& key : keys) {
      if (gone.contains(key)) return {.failed = gone.at(key)};
    }
    waiting[sequence] = keys;
    wake(outcome);
    return outcome;
  }

  void wake(Outcome& outcome) {
    std::erase_if(waiting, [&](const auto& wait) {
      const bool all = std::ranges::all_of(
          wait.second, [&](const std::string& key) { return cells.contains(key); });
      if (all) outcome.woken[wait.first] = Code{};
      return all;
    });
  }

  Cells cells;
  std::map<std::string, Code> gone;
  std::map<std::uint32_t, std::set<std::string>> waiting;
};

class StoreModel : public testing::Test {
 protected:
  StoreModel() {
    roster_.set_size(ranks, TimePoint{});
    Value body;
    encode(wire::WatchRequest{""}, body);
    with([&](Outbox& out) { store_.watch(body, {watcher, Type::watch, 1}, out); });
  }

  std::string any_key() { return std::string(1, static_cast<char>('a' + random_.below(6))); }
  std::string any_value() { return std::string(random_.below(300), 'v'); }

  template <class Message, class Do>
  void ask(const Message& message, Type type, Do&& what) {
    Value body;
    encode(message, body);
    const ReplyTo to{1, type, ++sequence_};
    with([&](Outbox& out) { what(body, to, out); });
  }
  template <class Do>
  void with(Do&& what) {
    actions_.clear();
    Outbox out(actions_);
    what(out);
  }

  /// One request or departure, and what must come of it.
  Outcome step();
  Outcome change(const std::string& key, std::uint64_t kind);
  Outcome wait(const std::string& key);
  Outcome depart();
  void expect(const Outcome& outcome);

  SeededRandom random_{17};
  Roster roster_;
  StoreRequests store_{quota};
  Model model_;
  Actions actions_;
  std::uint32_t sequence_ = 0;
};

Outcome StoreModel::change(const std::string& key, std::uint64_t kind) {
  const auto cell = model_.cells.find(key);
  const bool there = cell != model_.cells.end();
  const std::string before = there ? cell->second.value : "";
  const std::string value = any_value();
  const Bytes bytes = as_bytes(value);
  if (kind == 0) {
    const auto owner = static_cast<std::uint32_t>(random_.below(ranks));
    ask(wire::SetRequest{key, bytes}, Type::set_owned,
        [&](Bytes body, const ReplyTo& to, Outbox& out) {
          store_.set_owned(body, to, owner, out);
        });
    return model_.put({{key, value}}, owner);
  }
  if (kind == 1) {
    ask(wire::AppendRequest{key, bytes}, Type::append,
        [&](Bytes body, const ReplyTo& to, Outbox& out) { store_.append(body, to, out); });
    return model_.put({{key, before + value}}, std::nullopt);
  }
  if (kind == 2) {
    const bool expects = random_.below(2) == 0;
    wire::CompareSetRequest request{key, std::nullopt, bytes};
    if (expects) request.expected = as_bytes(before);
    ask(request, Type::compare_set,
        [&](Bytes body, const ReplyTo& to, Outbox& out) { store_.compare_set(body, to, out); });
    return expects == there ? model_.put({{key, value}}, std::nullopt) : Outcome{};
  }
  if (kind == 3) {
    const std::string other = any_key();
    ask(wire::MultiSetRequest{{{key, {}}, {other, bytes}}}, Type::multi_set,
        [&](Bytes body, const ReplyTo& to, Outbox& out) { store_.multi_set(body, to, out); });
    return model_.put(key == other ? std::map<std::string, std::string>{{key, value}}
                                   : std::map<std::string, std::string>{{key, ""}, {other, value}},
                      std::nullopt);
  }
  ask(wire::SetRequest{key, bytes}, Type::set,
      [&](Bytes body, const ReplyTo& to, Outbox& out) { store_.set(body, to, out); });
  return model_.put({{key, value}}, std::nullopt);
}

Outcome StoreModel::wait(const std::string& key) {
  std::set<std::string> keys{key, any_key()};
  ask(wire::WaitRequest{1000, {keys.begin(), keys.end()}}, Type::wait,
      [&](Bytes body, const ReplyTo& to, Outbox& out) { store_.wait(body, to, TimePoint{}, out); });
  return model_.wait(sequence_, keys);
}

Outcome StoreModel::depart() {
  const auto rank = static_cast<std::uint32_t>(random_.below(ranks));
  const Code code = random_.below(2) == 0 ? Code::rank_lost : Code::rank_left;
  with([&](Outbox& out) { store_.depart({rank}, code, roster_, out); });
  return model_.depart(rank, code);
}

Outcome StoreModel::step() {
  const std::string key = any_key();
  const std::uint64_t kind = random_.below(12);
  if (kind < 6) return change(key, kind);
  if (kind < 9) return wait(key);
  if (kind == 9) return depart();
  ask(wire::RemoveRequest{key}, Type::remove,
      [&](Bytes body, const ReplyTo& to, Outbox& out) { store_.remove(body, to, out); });
  return model_.remove(key);
}

void StoreModel::expect(const Outcome& outcome) {
  std::vector<std::string> changes;
  std::map<std::uint32_t, Code> woken;
  std::optional<Code> failed;
  for (const Seen& frame : frames_of(actions_)) {
    const auto code = static_cast<Code>(frame.result);
    if (frame.type == Type::changed) {
      const auto change = wire::decode_changed(frame.body).value();
      changes.push_back(change_text(
          change.key, change.value ? std::optional(as_text(*change.value)) : std::nullopt));
    } else if (frame.type == Type::wait && !outcome.failed) {
      woken[frame.sequence] = code;
    } else if (frame.result != 0) {
      failed = code;
    }
  }
  std::vector<std::string> expected = outcome.changes;
  if (changes.size() > 1) {  // of one moment: in any order
    std::ranges::sort(changes);
    std::ranges::sort(expected);
  }
  EXPECT_EQ(failed, outcome.failed);
  EXPECT_EQ(changes, expected);
  EXPECT_EQ(woken, outcome.woken);
}

TEST_F(StoreModel, DoesWhatAPlainMapDoes) {
  std::size_t full = 0;
  for (int i = 0; i < 30'000; ++i) {
    const Outcome outcome = step();
    expect(outcome);
    if (outcome.failed == Code::quota) ++full;
    ASSERT_EQ(store_.table().bytes(), model_.cost(model_.cells));
    ASSERT_EQ(store_.table().size(), model_.cells.size());
    ASSERT_EQ(store_.waits().size(), model_.waiting.size());
    ASSERT_FALSE(HasFailure()) << "step " << i;
  }
  EXPECT_GT(full, 100U) << "the quota hardly matters";
}

}  // namespace
}  // namespace muster::server
