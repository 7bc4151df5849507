#include "server/core/round.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/assert.hpp"
#include "server/core/wording.hpp"
#include "wire/kinds.hpp"

namespace muster::server {
namespace {

/// Buffers above this size are given back when their round is over.
constexpr std::size_t kept_bytes_max = 1U << 20;
/// A rank's own parts from this size on are not written into the step's bytes.
constexpr std::size_t shared_bytes_min = 4096;
constexpr std::size_t token_digits_shown = 12;

std::string token_text(const Digest& token) {
  return token == Digest{} ? "none" : to_hex(token).substr(0, token_digits_shown);
}

}  // namespace

void Round::open(const wire::Arrive& arrive, std::uint32_t group_size, TimePoint now) {
  open_ = true;
  kind_ = arrive.kind;
  root_ = arrive.root;
  sequence_ = arrive.sequence;
  part_bytes_ = arrive.parts.front().payload.size();
  label_ = arrive.label;
  token_ = arrive.token;
  since_ = now;
  deadline_ = TimePoint::max();
  answers_.reserve(group_size);
  if (kind_ != Kind::barrier) slices_.resize(group_size);
}

std::optional<Difference> Round::difference(const wire::Arrive& arrive) const {
  const bool same_call = arrive.kind == kind_ && arrive.root == root_ && arrive.token == token_ &&
                         arrive.label == label_;
  Ranks others;
  std::size_t other_bytes = 0;
  for (const wire::Part& part : arrive.parts) {
    if (same_call && (!wire::has_one_size(kind_) || part.payload.size() == part_bytes_)) continue;
    if (others.empty()) other_bytes = part.payload.size();
    others.push_back(part.rank);
  }
  if (others.empty()) return std::nullopt;

  std::string here = text();
  std::string there = call_text(arrive.kind, arrive.label, arrive.sequence);
  if (here == there) {
    here += detail(root_, token_, part_bytes_, arrive);
    there += detail(arrive.root, arrive.token, other_bytes, arrive);
  }
  return Difference{std::move(here), std::move(there), std::move(others)};
}

/// What tells two calls of the same name apart.
std::string Round::detail(std::uint32_t root, const Digest& token, std::size_t bytes,
                          const wire::Arrive& other) const {
  if (other.root != root_) return fmt::format(" with root {}", root);
  if (other.token != token_) return " with token " + token_text(token);
  return fmt::format(" of {} bytes a rank", kind_ == Kind::alltoall ? bytes_for_one(bytes) : bytes);
}

/// Of an alltoall's value of `payload_bytes`, which begins with a number and a length for each.
std::size_t Round::bytes_for_one(std::size_t payload_bytes) const {
  return (payload_bytes - 4) / slices_.size() - 4;
}

void Round::add(const wire::Arrive& arrive, const ReplyTo& from) {
  const auto count = static_cast<std::uint32_t>(arrive.parts.size());
  Answer answer{from, false, static_cast<std::uint32_t>(ranks_.size()), count};
  arrived_ += count;
  for (const wire::Part& part : arrive.parts) {
    answer.holds_root = answer.holds_root || part.rank == root_;
    if (wire::deals(kind_)) ranks_.push_back(part.rank);
    if (part.payload.empty()) continue;
    slices_[part.rank] = {payload_.size(), part.payload.size()};
    payload_.insert(payload_.end(), part.payload.begin(), part.payload.end());
  }
  answers_.push_back(answer);
}

void Round::drop_link(LinkId link) {
  std::erase_if(answers_, [link](const Answer& answer) { return answer.to.link == link; });
}

std::string Round::what() const {
  return call_text(kind_, label_);
}

std::string Round::text() const {
  return call_text(kind_, label_, sequence_);
}

Bytes Round::part(std::uint32_t rank) const {
  return Bytes(payload_).subspan(slices_[rank].offset, slices_[rank].length);
}

void Round::finish(Outbox& out) {
  if (kind_ == Kind::scatter) {
    scatter(out);
  } else if (kind_ == Kind::alltoall) {
    transpose(out);
  } else {
    give_all(out);
  }
  close();
}

/// To all the same, if they get any parts.
void Round::give_all(Outbox& out) {
  std::vector<Bytes> parts;
  Shared result;
  if (kind_ == Kind::broadcast) parts.push_back(part(root_));
  if (kind_ != Kind::broadcast && kind_ != Kind::barrier) {
    for (std::uint32_t rank = 0; rank < slices_.size(); ++rank) parts.push_back(part(rank));
  }
  if (!parts.empty()) {
    Value body;
    wire::encode_verdict(parts, body);
    result = std::make_shared<const Value>(std::move(body));
  }
  for (const Answer& answer : answers_) {
    if (kind_ == Kind::barrier || (kind_ == Kind::gather && !answer.holds_root)) {
      out.written(answer.to, [](Value& body) { wire::encode_verdict({}, body); });
    } else {
      out.shared(answer.to, result);
    }
  }
}

/// Of the root's parts, to each rank its own.
void Round::scatter(Outbox& out) {
  const Bytes all = part(root_);
  const auto offsets = wire::part_offsets(all);
  MUSTER_ASSERT(offsets && offsets->size() == slices_.size() + 1);
  const auto own = [&](std::uint32_t rank, std::vector<Bytes>& parts) {
    parts.push_back(all.subspan((*offsets)[rank], (*offsets)[rank + 1] - (*offsets)[rank]));
  };
  deal(own, out);
}

/// Of every rank's parts, which are all of one size, to each rank its own.
void Round::transpose(Outbox& out) {
  const std::size_t bytes = bytes_for_one(part_bytes_);
  const std::size_t lengths_bytes = 4 + 4 * slices_.size();
  const auto own = [&](std::uint32_t rank, std::vector<Bytes>& parts) {
    for (std::uint32_t from = 0; from < slices_.size(); ++from) {
      parts.push_back(part(from).subspan(lengths_bytes + rank * bytes, bytes));
    }
  };
  deal(own, out);
}

/// To each link what `parts_of` gives for each of its ranks.
template <class PartsOf>
void Round::deal(PartsOf parts_of, Outbox& out) {
  std::vector<Bytes> parts;
  for (const Answer& answer : answers_) {
    parts.clear();
    for (const std::uint32_t rank : std::span(ranks_).subspan(answer.first, answer.count)) {
      parts_of(rank, parts);
    }
    std::size_t bytes = 0;
    for (const Bytes part : parts) bytes += part.size();
    if (bytes < shared_bytes_min) {
      out.written(answer.to, [&](Value& body) { wire::encode_verdict(parts, body); });
    } else {
      Value body;
      wire::encode_verdict(parts, body);
      out.shared(answer.to, std::make_shared<const Value>(std::move(body)));
    }
  }
}

void Round::fail(const SharedFailure& failure, Outbox& out) {
  for (const Answer& answer : answers_) out.fail(answer.to, failure);
  close();
}

void Round::close() {
  open_ = false;
  arrived_ = 0;
  answers_.clear();
  slices_.clear();
  ranks_.clear();
  payload_.clear();
  if (payload_.capacity() > kept_bytes_max) Value().swap(payload_);
}

}  // namespace muster::server
