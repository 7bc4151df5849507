#include "accord/record.hpp"

#include <fmt/format.h>

#include "accord/encoding.hpp"
#include "accord/entry.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster::accord {
namespace {

constexpr std::uint8_t record_version = 1;

Error malformed(std::string what) {
  return Error{.code = Code::protocol, .what = std::move(what)};
}

Digest fingerprint_of(const Epoch& epoch, const Record& record) {
  std::vector<Commitment> commitments;
  commitments.reserve(record.entries.size());
  for (const Record::Entry& entry : record.entries) {
    commitments.push_back({entry.name, entry.type, entry.digest});
  }
  return fingerprint_of(epoch, commitments);
}

/// Reads one entry; false if it does not end within the record.
bool read(Decoder& in, Record::Entry& entry, std::uint8_t& share) {
  entry.name = as_text(in.sized());
  entry.type = in.u8();
  share = in.u8();
  const Bytes digest = in.bytes(entry.digest.size());
  std::copy(digest.begin(), digest.end(), entry.digest.begin());
  if (share == static_cast<std::uint8_t>(Share::open)) entry.value = to_value(in.sized());
  return in.ok();
}

Result<void> check(const Epoch& epoch, const Record::Entry& entry, std::uint8_t share) {
  if (!is_entry_name(entry.name)) {
    return malformed(fmt::format("entry name {} is malformed", quoted(entry.name)));
  }
  if (entry.type < static_cast<std::uint8_t>(Type::integer) ||
      entry.type > static_cast<std::uint8_t>(Type::blob)) {
    return malformed(fmt::format("entry {} has the unknown type {}; expected 1 to 5",
                                 quoted(entry.name), entry.type));
  }
  if (share > static_cast<std::uint8_t>(Share::open)) {
    return malformed(
        fmt::format("entry {} has the share flag {}; expected 0 or 1", quoted(entry.name), share));
  }
  if (!entry.value) return {};
  if (!is_entry_value(entry.type, *entry.value)) {
    return malformed(fmt::format("the value of entry {} is not a valid {}", quoted(entry.name),
                                 type_name(entry.type)));
  }
  const Contract::Entry whole{entry.name, entry.type, Share::open, *entry.value};
  if (entry_digest(epoch, whole) != entry.digest) {
    return malformed(
        fmt::format("the digest of entry {} is not that of its value", quoted(entry.name)));
  }
  return {};
}

}  // namespace

Record make_record(const Epoch& epoch, const Contract& contract) {
  Record record;
  for (const Contract::Entry& entry : contract.entries()) {
    Record::Entry shown{entry.name, entry.type, entry_digest(epoch, entry), std::nullopt};
    if (entry.share == Share::open) shown.value = entry.value;
    record.entries.push_back(std::move(shown));
  }
  record.fingerprint = fingerprint_of(epoch, record);
  return record;
}

Value encode(const Record& record) {
  Encoder out;
  out.u8(record_version)
      .bytes(record.fingerprint)
      .u32(static_cast<std::uint32_t>(record.entries.size()));
  for (const Record::Entry& entry : record.entries) {
    const Share share = entry.value ? Share::open : Share::local;
    out.sized(as_bytes(entry.name))
        .u8(entry.type)
        .u8(static_cast<std::uint8_t>(share))
        .bytes(entry.digest);
    if (entry.value) out.sized(*entry.value);
  }
  return out.take();
}

Result<Record> decode(const Epoch& epoch, Bytes bytes) {
  if (bytes.size() > limits::agreement_record_bytes_max) {
    return malformed(fmt::format("it has {} bytes; at most {} are allowed", bytes.size(),
                                 limits::agreement_record_bytes_max));
  }
  Decoder in(bytes);
  const std::uint8_t version = in.u8();
  if (!in.ok()) return malformed("it is empty");
  if (version != record_version) {
    return malformed(fmt::format("it is of version {}; expected {}", version, record_version));
  }
  Record record;
  const Bytes fingerprint = in.bytes(record.fingerprint.size());
  std::copy(fingerprint.begin(), fingerprint.end(), record.fingerprint.begin());
  const std::uint32_t count = in.u32();
  if (!in.ok()) return malformed("it ends within its head");
  if (count > limits::contract_entries_max) {
    return malformed(fmt::format("it announces {} entries; at most {} are allowed", count,
                                 limits::contract_entries_max));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    Record::Entry entry;
    std::uint8_t share = 0;
    if (!read(in, entry, share)) {
      return malformed(fmt::format("it ends within entry {} of {}", i + 1, count));
    }
    if (auto checked = check(epoch, entry, share); !checked) return checked.error();
    if (i > 0 && record.entries.back().name >= entry.name) {
      return malformed(fmt::format("entry {} does not come after {}", quoted(entry.name),
                                   quoted(record.entries.back().name)));
    }
    record.entries.push_back(std::move(entry));
  }
  if (in.left() > 0) {
    return malformed(fmt::format("{} bytes follow its last entry", in.left()));
  }
  if (fingerprint_of(epoch, record) != record.fingerprint) {
    return malformed("its fingerprint is not that of its entries");
  }
  return record;
}

}  // namespace muster::accord
