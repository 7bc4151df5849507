#include <atomic>
#include <fmt/format.h>
#include <string>
#include <utility>

#include <muster/key_group.hpp>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "group/key_rounds.hpp"

namespace muster {
namespace {

constexpr std::string_view all_in = "ok";

class KeyGroup : public Group {
 public:
  KeyGroup(Store& store, std::uint32_t rank, std::uint32_t size, KeyGroupOptions options)
      : store_(store), rank_(rank), size_(size), options_(options) {}

  Identity identity() const override { return options_.identity; }
  TimePoint now() const override { return Clock::now(); }
  TimePoint resolve(Deadline deadline) const override {
    return deadline.resolve(now(), options_.operation_timeout);
  }
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }
  std::uint32_t rank_in_job(std::uint32_t rank) const override { return rank; }
  Result<std::unique_ptr<Group>> subset(std::span<const std::uint32_t>, Deadline) override;

  Result<Parts> arrive(const Call& call, Deadline deadline) override;

 private:
  /// A round on its way.
  struct Round {
    const char* what;
    std::uint64_t number;
    RoundKeys keys;
    Deadline until;
  };
  /// How many rounds of a kind this rank has been in.
  using Count = std::uint64_t;

  Result<Parts> barrier_round(Deadline until);
  Result<Parts> allgather_round(Bytes payload, Deadline until);
  Round next(const char* what, char letter, Count count, Deadline until) const;
  /// Of the first in round `number`: nobody is in the round before the last any more.
  void remove_old(char letter, std::uint64_t number, Deadline until);
  /// Opens the round for all if this rank is the last one, and waits until it is open.
  Result<void> pass(const Round& round, bool last);
  Error not_all(const Round& round, Error error, std::string_view came) const;

  Store& store_;
  const std::uint32_t rank_;
  const std::uint32_t size_;
  const KeyGroupOptions options_;
  std::atomic<bool> in_flight_ = false;
  // Touched only by the call in flight.
  Count barriers_ = 0;
  Count allgathers_ = 0;
};

/// Whether it is certain that the arrival was not counted, so that there was no round.
bool nothing_changed(const Error& error) {
  return error.code == Code::limit || error.code == Code::quota;
}

Result<Parts> KeyGroup::arrive(const Call& call, Deadline deadline) {
  if (call.kind != Kind::barrier && call.kind != Kind::allgather) {
    return Error{.code = Code::unsupported,
                 .what = fmt::format("a key-based group has no {}: barrier and allgather are all",
                                     name(call.kind)),
                 .advice = "use the job's own group"};
  }
  if (call.label.size() > limits::label_bytes_max) {
    return Error{.code = Code::limit,
                 .what = fmt::format("a label has at most {} bytes, this one has {}",
                                     limits::label_bytes_max, call.label.size())};
  }
  if (call.kind == Kind::barrier && !call.payload.empty()) {
    return Error{.code = Code::invalid_argument,
                 .what = fmt::format("rank {} has nothing to bring to this barrier, but brings {} "
                                     "bytes",
                                     rank_, call.payload.size())};
  }
  if (in_flight_.exchange(true, std::memory_order_acquire)) {
    return Error{
        .code = Code::busy,
        .what = "another collective is in flight on this group; a group takes one at a time"};
  }
  const TimePoint begun = now();
  const Deadline until = Deadline::at(resolve(deadline));
  auto parts =
      call.kind == Kind::barrier ? barrier_round(until) : allgather_round(call.payload, until);
  in_flight_.store(false, std::memory_order_release);
  if (parts) return parts;
  Error error = std::move(parts).error();
  error.elapsed = now() - begun;
  return error;
}

Result<std::unique_ptr<Group>> KeyGroup::subset(std::span<const std::uint32_t>, Deadline) {
  return Error{.code = Code::unsupported,
               .what = "a key-based group has no subsets",
               .advice = "make another one of these ranks, with a version of its own"};
}

KeyGroup::Round KeyGroup::next(const char* what, char letter, Count count, Deadline until) const {
  return {what, count + 1, round_keys(options_.version, count + 1, letter), until};
}

Result<Parts> KeyGroup::barrier_round(Deadline until) {
  if (size_ == 1) return Parts{};
  const Round round = next("barrier", 'B', barriers_, until);
  const auto arrived = store_.add(round.keys.arrive, 1, until);
  if (!arrived && nothing_changed(arrived.error())) return arrived.error();
  ++barriers_;
  if (!arrived) return arrived.error();
  if (*arrived < 1 || *arrived > std::int64_t{size_}) {
    return Error{
        .code = Code::mismatch,
        .phase = Phase::operation,
        .what = fmt::format("arrival {} at barrier {} of a group of {}: other ranks use its "
                            "keys, or an earlier start of the job has left them",
                            *arrived, round.number, size_),
        .advice = "give each group on a store its own version"};
  }
  if (*arrived == 1) remove_old('B', round.number, until);
  auto passed = pass(round, *arrived == std::int64_t{size_});
  if (passed) return Parts{};
  if (passed.error().code != Code::timeout) return std::move(passed).error();
  const auto count = store_.get(round.keys.arrive, until);
  return not_all(round, std::move(passed).error(), count ? as_text(*count) : "an unknown number");
}

Result<Parts> KeyGroup::allgather_round(Bytes payload, Deadline until) {
  const Round round = next("allgather", 'G', allgathers_, until);
  const Value item = gathered_item(rank_, payload);
  const auto length = store_.append(round.keys.arrive, item, until);
  if (!length && nothing_changed(length.error())) return length.error();
  ++allgathers_;
  if (!length) return length.error();
  if (*length == item.size()) remove_old('G', round.number, until);
  auto passed = pass(round, *length == size_ * item.size());
  if (!passed && passed.error().code != Code::timeout) return std::move(passed).error();
  auto all = store_.get(round.keys.arrive, until);
  if (passed && all) return gathered_parts(*all, size_, payload.size());
  if (passed) return std::move(all).error();
  const Bytes some = all ? Bytes(*all) : Bytes{};
  Error error =
      not_all(round, std::move(passed).error(), fmt::format("{}", some.size() / item.size()));
  for (const std::uint32_t rank : missing_ranks(some, size_, payload.size())) {
    if (error.ranks.size() < limits::named_ranks_max) error.ranks.push_back({.rank = rank});
  }
  return error;
}

void KeyGroup::remove_old(char letter, std::uint64_t number, Deadline until) {
  if (number <= 2) return;
  const RoundKeys old = round_keys(options_.version, number - 2, letter);
  // Whatever becomes of it: what stays behind costs some bytes, and the round goes on.
  static_cast<void>(store_.remove(old.arrive, until));
  static_cast<void>(store_.remove(old.wait, until));
}

Result<void> KeyGroup::pass(const Round& round, bool last) {
  if (last) {
    if (auto opened = store_.set(round.keys.wait, as_bytes(all_in), round.until); !opened) {
      return opened;
    }
  }
  auto open = store_.wait_get(round.keys.wait, round.until);
  if (!open) return std::move(open).error();
  if (as_text(*open) == all_in) return {};
  return Error{
      .code = Code::mismatch,
      .phase = Phase::operation,
      .what = fmt::format("key {} holds {} where 'ok' is expected: something else uses the "
                          "group's keys",
                          quoted(round.keys.wait), quoted(as_text(*open)))};
}

Error KeyGroup::not_all(const Round& round, Error error, std::string_view came) const {
  error.code = Code::rank_missing;
  error.what = fmt::format("{} of {} ranks had come to {} {} of a key-based group by the deadline",
                           printable(came), size_, round.what, round.number);
  error.advice = "look for the rank that is late; the round stays counted, so a late rank may pass";
  error.ranks.clear();
  return error;
}

}  // namespace

std::unique_ptr<Group> make_key_group(Store& store, std::uint32_t rank, std::uint32_t size,
                                      KeyGroupOptions options) {
  MUSTER_ASSERT(rank < size);
  return std::make_unique<KeyGroup>(store, rank, size, options);
}

}  // namespace muster
