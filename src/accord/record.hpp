/// \file
/// What a rank shows of its contract: the fingerprint, and of every entry the name, the type and a
/// digest; the value only if the entry is open (docs/reference/formats.md). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <muster/contract.hpp>
#include <muster/digest.hpp>
#include <muster/ids.hpp>
#include <muster/result.hpp>

namespace muster::accord {

/// Value. One rank's side of an agreement. Entries ascend by name.
struct Record {
  struct Entry {
    std::string name;
    std::uint8_t type = 0;
    Digest digest{};
    std::optional<Value> value;  ///< present if the entry is open
    bool operator==(const Entry&) const = default;
  };
  Digest fingerprint{};
  std::vector<Entry> entries;
  bool operator==(const Record&) const = default;
};

Record make_record(const Epoch& epoch, const Contract& contract);

Value encode(const Record& record);

/// The record; or `protocol` with what is wrong with it. Whatever can be recomputed must be right:
/// the digest of an open value, and the fingerprint from names, types and digests. So records of
/// equal fingerprints are equal, but for what they show. Allocates no more than a few times the
/// size of `bytes`.
Result<Record> decode(const Epoch& epoch, Bytes bytes);

}  // namespace muster::accord
