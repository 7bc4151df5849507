#include "accord/record.hpp"

#include <gtest/gtest.h>

#include "accord/encoding.hpp"
#include "accord/entry.hpp"
#include "base/limits.hpp"

namespace muster::accord {
namespace {

const Epoch epoch{};

Record sample() {
  return make_record(epoch, Contract::Builder()
                                .real("rate", 0.1, Share::open)
                                .integer("seed", 4711)
                                .boolean("trace", true, Share::open)
                                .build()
                                .value());
}

/// Gives the record the fingerprint that its entries have, so that nothing else is wrong with it.
Record sealed(Record record) {
  std::vector<Commitment> commitments;
  for (const Record::Entry& entry : record.entries) {
    commitments.push_back({entry.name, entry.type, entry.digest});
  }
  record.fingerprint = fingerprint_of(epoch, commitments);
  return record;
}

std::string refused(Bytes bytes) {
  const auto decoded = decode(epoch, bytes);
  EXPECT_FALSE(decoded.ok());
  if (decoded.ok()) return {};
  EXPECT_EQ(decoded.error().code, Code::protocol);
  return decoded.error().what;
}

std::string refused(const Record& record) {
  return refused(encode(record));
}

TEST(Record, ComesBackAsItWas) {
  EXPECT_EQ(decode(epoch, encode(sample())).value(), sample());
  EXPECT_EQ(decode(epoch, encode(make_record(epoch, Contract()))).value(),
            make_record(epoch, Contract()));
}

TEST(Record, ShowsTheValuesOfOpenEntriesOnly) {
  const Record record = sample();
  EXPECT_TRUE(record.entries[0].value.has_value());
  EXPECT_FALSE(record.entries[1].value.has_value());
  EXPECT_EQ(record.fingerprint, sealed(record).fingerprint);
}

TEST(Record, CutAnywhereItIsRefused) {
  const Value whole = encode(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refused(Bytes(whole).first(size)), "") << size;
  }
  EXPECT_EQ(refused(Bytes{}), "it is empty");
  EXPECT_EQ(refused(Bytes(whole).first(20)), "it ends within its head");
  EXPECT_EQ(refused(Bytes(whole).first(whole.size() - 1)), "it ends within entry 3 of 3");
}

TEST(Record, NoByteOfItCanBeAltered) {
  const Value whole = encode(sample());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      Value altered = whole;
      altered[at] ^= static_cast<std::byte>(1 << bit);
      EXPECT_NE(refused(Bytes(altered)), "") << "byte " << at << ", bit " << bit;
    }
  }
}

TEST(Record, BelongsToItsEpoch) {
  Epoch other;
  other.bytes[0] = std::byte{1};
  EXPECT_FALSE(decode(other, encode(sample())).ok());
}

TEST(Record, WhatFollowsIsRefused) {
  Value longer = encode(sample());
  longer.push_back(std::byte{0});
  EXPECT_EQ(refused(Bytes(longer)), "1 bytes follow its last entry");
}

TEST(Record, SaysWhichVersionItIsOf) {
  Value other = encode(sample());
  other[0] = std::byte{2};
  EXPECT_EQ(refused(Bytes(other)), "it is of version 2; expected 1");
}

TEST(Record, NamesAreCheckedAndAscend) {
  Record record = sample();
  record.entries[0].name = "two words";
  EXPECT_EQ(refused(sealed(record)), "entry name 'two words' is malformed");
  record = sample();
  record.entries[2] = record.entries[1];
  EXPECT_EQ(refused(sealed(record)), "entry 'seed' does not come after 'seed'");
  record.entries[2].name = "aaa";
  EXPECT_EQ(refused(sealed(record)), "entry 'aaa' does not come after 'seed'");
}

TEST(Record, TypesAndSharesAreChecked) {
  for (const std::uint8_t type : {std::uint8_t{0}, std::uint8_t{6}, std::uint8_t{255}}) {
    Record record = sample();
    record.entries[1].type = type;
    EXPECT_EQ(refused(sealed(record)),
              "entry 'seed' has the unknown type " + std::to_string(type) + "; expected 1 to 5");
  }
  Value bytes = encode(sample());
  bytes[1 + 32 + 4 + 4 + 4 + 1] = std::byte{2};
  EXPECT_EQ(refused(Bytes(bytes)), "entry 'rate' has the share flag 2; expected 0 or 1");
}

TEST(Record, OpenValuesAreValidAndHaveTheirDigest) {
  const auto with_rate = [](double rate) {
    Record record = sample();
    Record::Entry& entry = record.entries[0];
    entry.value = Encoder().real(rate).take();
    entry.digest = entry_digest(epoch, {entry.name, entry.type, Share::open, *entry.value});
    return sealed(record);
  };
  EXPECT_TRUE(decode(epoch, encode(with_rate(0.0))).ok());
  EXPECT_EQ(refused(with_rate(-0.0)), "the value of entry 'rate' is not a valid real");
  Record record = sample();
  record.entries[0].digest[0] ^= std::byte{1};
  EXPECT_EQ(refused(sealed(record)), "the digest of entry 'rate' is not that of its value");
  record = sample();
  record.entries[2].value = Value{std::byte{2}};
  EXPECT_EQ(refused(sealed(record)), "the value of entry 'trace' is not a valid boolean");
}

TEST(Record, TheFingerprintIsThatOfTheEntries) {
  Record record = sample();
  record.entries[1].digest[0] ^= std::byte{1};
  EXPECT_EQ(refused(record), "its fingerprint is not that of its entries");
}

TEST(Record, IsBounded) {
  EXPECT_EQ(refused(Bytes(Value(limits::agreement_record_bytes_max + 1))),
            "it has 74281 bytes; at most 74280 are allowed");
  // A head that announces more entries than a contract has is refused before any is read.
  const Value head = Encoder().u8(1).bytes(Digest{}).u32(257).take();
  EXPECT_EQ(refused(Bytes(head)), "it announces 257 entries; at most 256 are allowed");
}

TEST(Record, TheLargestContractFits) {
  Contract::Builder builder;
  std::size_t left = limits::contract_bytes_max - 23;
  for (int i = 0; i < 256; ++i) {
    const std::string name = "n" + std::to_string(1000 + i);
    const std::size_t last = left - 14;  // of 9 bytes around the name and the value
    const std::size_t size = i < 255 ? 242 : std::min<std::size_t>(last, 4096);
    builder.blob(name, Value(size), Share::open);
    left -= 14 + size;
  }
  EXPECT_EQ(left, 0U);
  const Value bytes = encode(make_record(epoch, builder.build().value()));
  EXPECT_LE(bytes.size(), limits::agreement_record_bytes_max);
  EXPECT_TRUE(decode(epoch, bytes).ok());
}

}  // namespace
}  // namespace muster::accord
