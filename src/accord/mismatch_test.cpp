#include "accord/mismatch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "accord/entry.hpp"
#include "base/limits.hpp"

namespace muster::accord {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

using Builder = Contract::Builder;

Record of(const Builder& builder) {
  return make_record(Epoch{}, builder.build().value());
}

std::string prefix(const Record& record) {
  return to_hex(record.fingerprint).substr(0, 12);
}

std::vector<std::uint32_t> named(const Error& error) {
  std::vector<std::uint32_t> ranks;
  for (const RankName& name : error.ranks) ranks.push_back(name.rank);
  return ranks;
}

/// Of ranks 0, 1, 2, ...
Error mismatch_error(const std::vector<Record>& records) {
  std::vector<std::uint32_t> ranks(records.size());
  std::iota(ranks.begin(), ranks.end(), 0U);
  return accord::mismatch_error(records, ranks);
}

TEST(Mismatch, NamesTheSidesAndShowsWhatIsOpen) {
  const Record usual = of(Builder().real("jitter", 0.1, Share::open).integer("steps", 9));
  const Record other = of(Builder().real("jitter", 0.25, Share::open).integer("steps", 9));
  std::vector<Record> records(8, usual);
  records[7] = other;
  const Error error = mismatch_error(records);
  EXPECT_EQ(error.code, Code::contract_mismatch);
  EXPECT_EQ(error.exit_code, 70);
  EXPECT_EQ(error.what, "ranks hold different contracts: 0-6: " + prefix(usual) +
                            ", 7: " + prefix(other) + "; jitter differs: 0.1 on 0-6, 0.25 on 7");
  ASSERT_THAT(named(error), ElementsAre(7));
  EXPECT_EQ(error.ranks[0].detail, "fingerprint " + prefix(other));
}

TEST(Mismatch, KeepsWhatIsLocal) {
  const Error error =
      mismatch_error({of(Builder().text("motto", "carpe")), of(Builder().text("motto", "diem"))});
  EXPECT_THAT(error.what, EndsWith("; motto differs: one value on 0, another on 1"));
}

TEST(Mismatch, ShowsAValueOnlyIfAllThatHoldItDo) {
  const Error error =
      mismatch_error({of(Builder().integer("port", 4711, Share::open)),
                      of(Builder().integer("port", 4712, Share::open)),
                      of(Builder().integer("port", 4711, Share::local)), of(Builder())});
  EXPECT_THAT(error.what, EndsWith("; port missing on ranks 3, differs: one value on 0, 2, "
                                   "another on 1"));
  EXPECT_THAT(error.text(), Not(HasSubstr("4711")));
}

TEST(Mismatch, SaysWhichRanksLackAnEntry) {
  const Record with = of(Builder().integer("a", 1).integer("b", 1));
  const Record without = of(Builder().integer("a", 1));
  EXPECT_THAT(mismatch_error({with, without, with, without, without}).what,
              EndsWith("; b missing on ranks 1, 3-4"));
}

TEST(Mismatch, NamesRanksByTheirNumbersInTheJob) {
  const Record with = of(Builder().integer("a", 1).integer("b", 1, Share::open));
  const Record other = of(Builder().integer("a", 1).integer("b", 2, Share::open));
  const Record without = of(Builder().integer("a", 1));
  const Error error = accord::mismatch_error({with, other, with, without}, {2, 5, 6, 4'000'000});
  EXPECT_EQ(error.what, "ranks hold different contracts: 2, 6: " + prefix(with) +
                            ", 5: " + prefix(other) + ", 4000000: " + prefix(without) +
                            "; b missing on ranks 4000000, differs: 1 on 2, 6, 2 on 5");
  EXPECT_THAT(named(error), ElementsAre(5, 4'000'000));
}

TEST(Mismatch, SaysWhichTypesItHas) {
  EXPECT_THAT(mismatch_error({of(Builder().integer("n", 1)), of(Builder().text("n", "1"))}).what,
              EndsWith("; n type differs: integer on 0, text on 1"));
  EXPECT_THAT(mismatch_error({of(Builder().integer("n", 1, Share::open)),
                              of(Builder().text("n", "1", Share::open))})
                  .what,
              EndsWith("; n type differs: integer 1 on 0, text '1' on 1"));
}

TEST(Mismatch, EntriesComeInOrderOfName) {
  EXPECT_THAT(mismatch_error({of(Builder().integer("b", 1).integer("c", 1).integer("a", 1)),
                              of(Builder().integer("b", 2).integer("c", 1).integer("a", 2))})
                  .what,
              EndsWith("; a differs: one value on 0, another on 1; b differs: one value on 0, "
                       "another on 1"));
}

TEST(Mismatch, TheLargestSideIsRightAndAmongEqualsTheFirst) {
  const Record a = of(Builder().integer("x", 1));
  const Record b = of(Builder().integer("x", 2));
  const Record c = of(Builder().integer("x", 3));
  EXPECT_THAT(named(mismatch_error({a, b, b, c})), ElementsAre(0, 3));
  EXPECT_THAT(named(mismatch_error({b, a})), ElementsAre(1));
}

TEST(Mismatch, ManyRanksAreCounted) {
  std::vector<Record> records;
  for (int rank = 0; rank < 500; ++rank) {
    records.push_back(of(Builder().integer("x", rank, Share::open)));
  }
  const Error error = mismatch_error(records);
  EXPECT_THAT(error.what,
              HasSubstr("7: " + prefix(records[7]) + ", and 492 more; x differs: 0 on"));
  EXPECT_THAT(error.what, EndsWith("7 on 7, and 492 more"));
  EXPECT_EQ(error.ranks.size(), limits::named_ranks_max);
}

TEST(Mismatch, ManyEntriesAreCounted) {
  Builder one;
  Builder two;
  for (int i = 0; i < 256; ++i) {
    const std::string name = std::string(120, 'n') + std::to_string(100 + i);
    one.integer(name, 1);
    two.integer(name, 2);
  }
  const Error error = mismatch_error({of(one), of(two)});
  EXPECT_LE(error.what.size(), limits::mismatch_text_bytes_max);
  EXPECT_GT(error.what.size(), limits::mismatch_text_bytes_max - 200);
  EXPECT_THAT(error.what, testing::ContainsRegex("; and 2[0-9][0-9] more entries$"));
}

TEST(Mismatch, TheLongestClausesStayWithinTheBound) {
  std::vector<Builder> builders(64);
  for (int rank = 0; rank < 64; ++rank) {
    for (int i = 0; i < 4; ++i) {
      std::string value(64, '\x01');
      value += std::to_string(rank);
      builders[static_cast<std::size_t>(rank)].text(std::string(127, 'n') + std::to_string(i),
                                                    value, Share::open);
    }
  }
  std::vector<Record> records;
  for (const Builder& builder : builders) records.push_back(of(builder));
  const Error error = mismatch_error(records);
  EXPECT_LE(error.what.size(), limits::mismatch_text_bytes_max);
  EXPECT_THAT(error.what, EndsWith("n3 differs"));
}

}  // namespace
}  // namespace muster::accord
