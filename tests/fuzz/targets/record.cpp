// A rank's side of an agreement. No fuzzer guesses a digest, so the bytes are tried as they are,
// and once more with digests and fingerprint put right.

#include "accord/record.hpp"

#include "accord/encoding.hpp"
#include "accord/entry.hpp"
#include "fuzz/target.hpp"
#include "wire/cursor.hpp"

using namespace muster;
using accord::Record;

namespace {

/// Entries as the input says: flags, a name, a type and a value each.
Record record_from(wire::Reader input) {
  Record record;
  while (input.left() > 0 && record.entries.size() < 8) {
    Record::Entry entry;
    const bool open = (input.u8() & 1) != 0;
    entry.type = input.u8();
    entry.name = as_text(input.bytes(std::min<std::size_t>(input.u8(), input.left())));
    const Bytes value = input.bytes(std::min<std::size_t>(input.u8(), input.left()));
    entry.digest =
        accord::entry_digest(Epoch{}, {entry.name, entry.type, Share::open, to_value(value)});
    if (open) entry.value = to_value(value);
    record.entries.push_back(std::move(entry));
  }
  std::vector<accord::Commitment> commitments;
  for (const Record::Entry& entry : record.entries) {
    commitments.push_back({entry.name, entry.type, entry.digest});
  }
  record.fingerprint = accord::fingerprint_of(Epoch{}, commitments);
  return record;
}

void take(Bytes bytes) {
  const auto record = accord::decode(Epoch{}, bytes);
  if (record) MUSTER_ASSERT(std::ranges::equal(accord::encode(*record), bytes));
}

}  // namespace

MUSTER_FUZZ_TARGET(record) {
  take(input);
  const Record made = record_from(wire::Reader(input));
  const Value bytes = accord::encode(made);
  const auto record = accord::decode(Epoch{}, bytes);
  if (record) MUSTER_ASSERT(*record == made);
}
