/// \file
/// What every rank must hold equal: named, typed entries, their canonical bytes, their fingerprint.
/// The formats are fixed in docs/reference/formats.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/digest.hpp>
#include <muster/export.hpp>
#include <muster/ids.hpp>
#include <muster/result.hpp>

namespace muster {

/// Whether an entry's value may be shown to other ranks when they differ.
enum class Share : std::uint8_t {
  local,  ///< only digests travel; a mismatch names the entry, never its value
  open,   ///< the value travels, and a mismatch shows it
};

/// Value; immutable once built, cheap to copy, any number of threads. At most 256 entries, names 1
/// to 128 printable characters without spaces, values to 4 KiB, 64 KiB in all.
class MUSTER_API Contract {
 public:
  /// Value. Collects entries; the first thing wrong is kept and said by build().
  class MUSTER_API Builder {
   public:
    Builder& integer(std::string name, std::int64_t value, Share share = Share::local);
    /// Finite; -0.0 is stored as 0.0.
    Builder& real(std::string name, double value, Share share = Share::local);
    Builder& boolean(std::string name, bool value, Share share = Share::local);
    /// UTF-8.
    Builder& text(std::string name, std::string value, Share share = Share::local);
    Builder& blob(std::string name, Value value, Share share = Share::local);

    /// The contract; or invalid_argument or limit, naming the entry: a name given twice or
    /// malformed, NaN or infinity, text that is not UTF-8, a limit passed. Entries are sorted by
    /// name, so the order in which they were added does not matter.
    Result<Contract> build() const;

    struct Entry {
      std::string name;
      std::uint8_t type = 0;
      Share share = Share::local;
      Value value;
      bool operator==(const Entry&) const = default;
    };

   private:
    Builder& put(std::string name, std::uint8_t type, Share share, Value value);
    std::vector<Entry> entries_;
    std::optional<Error> problem_;
  };
  using Entry = Builder::Entry;

  /// An empty contract is a contract.
  Contract();

  const std::vector<Entry>& entries() const;
  /// The bytes that are hashed.
  Value canonical() const;
  /// Of the canonical bytes, without an epoch: equal contracts, equal digests.
  Digest digest() const;
  /// Bound to one durable job state: the same contract has another fingerprint in another epoch.
  Digest fingerprint(const Epoch& epoch) const;

 private:
  std::shared_ptr<const std::vector<Entry>> entries_;
};

}  // namespace muster
