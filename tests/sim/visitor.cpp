#include "visitor.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "store/remote_store.hpp"
#include "wire/status_messages.hpp"

namespace muster::sim {

using namespace std::chrono_literals;

namespace {

constexpr const char* log_key = "log";
constexpr const char* turn_key = "turn";

}  // namespace

void Visitor::run() {
  SimCaller::Options options;
  options.hello.role = wire::Role::tool;
  options.hello.host = "desk";
  options.secret = secret_of(stage_.plan);
  options.route = stage_.plan.ranks.front().route;
  auto caller = SimCaller::connect(stage_.network, process_, options, stage_.scheduler.now() + 5s);
  if (!caller) return;
  const auto store = make_remote_store(*caller);
  watch(*store);
  for (int i = 0; i < 5 && !(*caller)->down() && !stage_.scheduler.abandoned(); ++i) {
    look(**caller);
    get(*store);
    append(*store);
    swap(*store);
    stage_.scheduler.sleep(dice_.between(Duration{}, Duration{300ms}));
  }
}

/// Of keys that take one step at a time.
void Visitor::watch(Store& store) {
  const auto told = [this](const Change& change) {
    if (!change.value) return;  // nobody removes them: that would be told as a gap
    const std::string text(as_text(*change.value));
    stage_.ledger.told(number_, change.key,
                       change.key == log_key ? text.size() : std::stoull(text));
  };
  const TimePoint until = stage_.scheduler.now() + 1s;
  for (const char* key : {counter, log_key, turn_key}) {
    if (!store.watch(key, told, Deadline::at(until))) break;
  }
  stage_.ledger.returned(number_, "a visitor's watch", until);
}

void Visitor::get(Store& store) {
  const TimePoint begun = stage_.scheduler.now();
  const TimePoint until = begun + patience();
  const std::string key =
      fmt::format("key {}/1", dice_.between(std::uint64_t{0}, std::uint64_t{stage_.plan.size - 1}));
  const auto value = store.wait_get(key, Deadline::at(until));
  stage_.ledger.returned(number_, "a visitor's wait_get", until);
  if (value) stage_.ledger.got(key, begun, nullptr, as_text(*value));
}

void Visitor::append(Store& store) {
  const TimePoint until = stage_.scheduler.now() + patience();
  stage_.ledger.append_begins();
  const auto length = store.append(log_key, as_bytes("."), Deadline::at(until));
  stage_.ledger.returned(number_, "a visitor's append", until);
  if (length) stage_.ledger.appended(*length);
}

void Visitor::swap(Store& store) {
  const TimePoint until = stage_.scheduler.now() + patience();
  const std::string mine = std::to_string(turn_);
  const std::string next = std::to_string(turn_ + 1);
  const auto expected = turn_ == 0 ? std::nullopt : std::optional(as_bytes(mine));
  const auto swap = store.compare_set(turn_key, expected, as_bytes(next), Deadline::at(until));
  stage_.ledger.returned(number_, "a visitor's compare_set", until);
  if (!swap) return;
  if (swap->swapped) stage_.ledger.swapped(turn_);
  if (swap->before) turn_ = std::stoull(std::string(as_text(*swap->before)));
  if (swap->swapped) ++turn_;
}

void Visitor::look(client::Caller& caller) {
  const TimePoint deadline = stage_.scheduler.now() + 1s;
  const auto whole = status(caller, deadline);
  stage_.ledger.returned(number_, "a visitor's status", deadline);
  if (whole) check(*whole);
}

/// In pages of three rows, so that most jobs need several.
std::optional<JobStatus> Visitor::status(client::Caller& caller, TimePoint deadline) {
  std::optional<JobStatus> whole;
  wire::StatusRequest page{.first_rank = 0, .rows_max = 3};
  while (stage_.scheduler.now() <= deadline) {
    const auto answer = client::call(caller, client::frame(wire::Type::status, page), deadline);
    if (!answer) return std::nullopt;
    auto got = wire::decode_status(*answer);
    if (!got) {
      stage_.findings.found("bad status", "it can't be read");
      return std::nullopt;
    }
    const bool last = got->rows.size() < page.rows_max;
    if (whole) got->rows.insert(got->rows.begin(), whole->rows.begin(), whole->rows.end());
    whole = std::move(*got);
    if (last) return whole;
    page.first_rank += page.rows_max;
  }
  return std::nullopt;
}

void Visitor::check(const JobStatus& status) {
  const bool complete = status.rows.size() == status.size;
  bool ascending = true;
  for (std::uint32_t i = 0; i < status.rows.size(); ++i) {
    ascending = ascending && status.rows[i].who.rank == i;
  }
  // Between two pages the living may change: only one page is of one moment.
  const auto living = std::ranges::count(status.rows, State::joined, &RosterRow::state);
  const bool counted = status.size >= 3 || status.joined == static_cast<std::uint32_t>(living);
  if (complete && ascending && counted) return;
  stage_.findings.found("bad status",
                        fmt::format("{} rows of {} ranks, {} of {} living", status.rows.size(),
                                    status.size, status.joined, living));
}

}  // namespace muster::sim
