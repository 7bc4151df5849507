#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <muster/contract.hpp>

#include "accord/encoding.hpp"
#include "accord/entry.hpp"
#include "base/decimal.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster {
namespace {

constexpr std::string_view contract_label = "muster contract v1";

Error invalid(std::string what, std::string advice) {
  return Error{
      .code = Code::invalid_argument, .what = std::move(what), .advice = std::move(advice)};
}

Error over_limit(std::string what) {
  return Error{.code = Code::limit, .what = std::move(what)};
}

std::uint8_t tag(accord::Type type) {
  return static_cast<std::uint8_t>(type);
}

Result<void> check_name(std::string_view name) {
  if (name.size() > limits::entry_name_bytes_max) {
    return over_limit(fmt::format("entry {}: its name is {} bytes long; at most {} are allowed",
                                  quoted(name), name.size(), limits::entry_name_bytes_max));
  }
  if (!accord::is_entry_name(name)) {
    return invalid(fmt::format("entry {}: its name is malformed", quoted(name)),
                   "a name is 1 to 128 printable ASCII characters without spaces");
  }
  return {};
}

/// Never shows the value: it may be nobody else's business.
Result<void> check_value(std::string_view name, std::uint8_t type, const Value& value) {
  if (value.size() > limits::entry_value_bytes_max) {
    return over_limit(fmt::format("entry {}: its value is {} bytes long; at most {} are allowed",
                                  quoted(name), value.size(), limits::entry_value_bytes_max));
  }
  if (!accord::is_entry_value(type, value)) {
    return invalid(
        fmt::format("entry {}: its value is not a valid {}", quoted(name), accord::type_name(type)),
        type == tag(accord::Type::text) ? "a text is UTF-8; put other bytes in a blob"
                                        : "a real is finite: neither NaN nor infinite");
  }
  return {};
}

}  // namespace

Contract::Builder& Contract::Builder::integer(std::string name, std::int64_t value, Share share) {
  return put(std::move(name), tag(accord::Type::integer), share,
             accord::Encoder().u64(static_cast<std::uint64_t>(value)).take());
}

Contract::Builder& Contract::Builder::real(std::string name, double value, Share share) {
  if (value == 0) value = 0.0;
  return put(std::move(name), tag(accord::Type::real), share, accord::Encoder().real(value).take());
}

Contract::Builder& Contract::Builder::boolean(std::string name, bool value, Share share) {
  return put(std::move(name), tag(accord::Type::boolean), share,
             accord::Encoder().u8(value ? 1 : 0).take());
}

Contract::Builder& Contract::Builder::text(std::string name, std::string value, Share share) {
  return put(std::move(name), tag(accord::Type::text), share, to_value(value));
}

Contract::Builder& Contract::Builder::blob(std::string name, Value value, Share share) {
  return put(std::move(name), tag(accord::Type::blob), share, std::move(value));
}

Contract::Builder& Contract::Builder::put(std::string name, std::uint8_t type, Share share,
                                          Value value) {
  if (problem_) return *this;
  const auto same_name = [&](const Entry& entry) { return entry.name == name; };
  if (auto checked = check_name(name); !checked) {
    problem_ = checked.error();
  } else if (auto fits = check_value(name, type, value); !fits) {
    problem_ = fits.error();
  } else if (std::any_of(entries_.begin(), entries_.end(), same_name)) {
    problem_ = invalid(fmt::format("entry {} is given twice", quoted(name)),
                       "give every entry of a contract a name of its own");
  } else if (entries_.size() == limits::contract_entries_max) {
    problem_ = over_limit(fmt::format("entry {} is one too many: a contract has at most {}",
                                      quoted(name), limits::contract_entries_max));
  } else {
    entries_.push_back({std::move(name), type, share, std::move(value)});
  }
  return *this;
}

Result<Contract> Contract::Builder::build() const {
  if (problem_) return *problem_;
  std::size_t total = contract_label.size() + 1 + 4;
  for (const Entry& entry : entries_) {
    total += accord::canonical_bytes(entry);
    if (total > limits::contract_bytes_max) {
      return over_limit(
          fmt::format("with entry {} the contract takes {} bytes; at most {} are "
                      "allowed in all",
                      quoted(entry.name), total, limits::contract_bytes_max));
    }
  }
  auto sorted = entries_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  Contract contract;
  contract.entries_ = std::make_shared<const std::vector<Entry>>(std::move(sorted));
  return contract;
}

Contract::Contract() : entries_(std::make_shared<const std::vector<Entry>>()) {}

const std::vector<Contract::Entry>& Contract::entries() const {
  return *entries_;
}

Value Contract::canonical() const {
  accord::Encoder encoder(contract_label);
  encoder.u32(static_cast<std::uint32_t>(entries_->size()));
  for (const Entry& entry : *entries_) {
    encoder.sized(as_bytes(entry.name)).u8(entry.type).sized(entry.value);
  }
  return encoder.take();
}

Digest Contract::digest() const {
  return sha256(canonical());
}

Digest Contract::fingerprint(const Epoch& epoch) const {
  std::vector<accord::Commitment> commitments;
  commitments.reserve(entries_->size());
  for (const Entry& entry : *entries_) {
    commitments.push_back({entry.name, entry.type, accord::entry_digest(epoch, entry)});
  }
  return accord::fingerprint_of(epoch, commitments);
}

}  // namespace muster
