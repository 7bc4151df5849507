#include <barrier>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <thread>
#include <type_traits>

#include <muster/agreement.hpp>

#include "accord/record.hpp"
#include "accord/tokens.hpp"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

static_assert(!std::is_default_constructible_v<Agreement>);
static_assert(!std::is_constructible_v<Agreement, Contract, Epoch, Digest, Identity,
                                       std::vector<std::uint32_t>>,
              "only agree() makes an Agreement");

constexpr TimePoint noon{std::chrono::hours{12}};

/// What the groups of one test share: one round, whose parts it keeps.
struct Table {
  explicit Table(std::uint32_t size) : parts(size), calls(size), all(static_cast<int>(size)) {}
  std::vector<Value> parts;
  std::vector<Call> calls;
  std::barrier<> all;
  /// What happens to a rank's payload on its way.
  std::function<void(std::uint32_t rank, Value& part)> alter = [](std::uint32_t, Value&) {};
  std::vector<std::uint32_t> members;  ///< ranks of the job; empty if they are the group's
  std::optional<Error> error;
};

/// One rank's group in this process: a round ends when all threads have arrived.
class TableGroup : public Group {
 public:
  TableGroup(Table& table, std::uint32_t rank) : table_(table), rank_(rank) {}
  Identity identity() const override { return {{0xfeed}, 3}; }
  TimePoint now() const override { return noon; }
  TimePoint resolve(Deadline deadline) const override {
    return deadline.resolve(now(), std::chrono::seconds{7});
  }
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(table_.parts.size()); }

  std::uint32_t rank_in_job(std::uint32_t rank) const override {
    return table_.members.empty() ? rank : table_.members.at(rank);
  }
  Result<std::unique_ptr<Group>> subset(std::span<const std::uint32_t>, Deadline) override {
    return Error{.code = Code::invalid_state, .what = "no subsets of a table"};
  }

  Result<Parts> arrive(const Call& call, Deadline deadline) override {
    until = resolve(deadline);
    Value part = to_value(call.payload);
    table_.alter(rank_, part);
    table_.parts[rank_] = part;
    table_.calls[rank_] = call;
    table_.all.arrive_and_wait();
    if (table_.error) return *table_.error;
    for (const Call& other : table_.calls) {
      if (other.token != call.token) return Error{.code = Code::mismatch, .what = "other token"};
    }
    const std::vector<Bytes> parts(table_.parts.begin(), table_.parts.end());
    return Parts(parts);
  }

  TimePoint until{};

 private:
  Table& table_;
  std::uint32_t rank_;
};

using Outcomes = std::vector<std::optional<Result<Agreement>>>;

Outcomes agree_all(Table& table, const std::vector<Contract>& contracts,
                   std::vector<Epoch> epochs = {}) {
  epochs.resize(contracts.size());
  Outcomes outcomes(contracts.size());
  std::vector<std::jthread> ranks;
  for (std::uint32_t rank = 0; rank < contracts.size(); ++rank) {
    ranks.emplace_back([&, rank] {
      TableGroup group(table, rank);
      outcomes[rank] = agree(group, epochs[rank], contracts[rank]);
    });
  }
  ranks.clear();
  return outcomes;
}

/// The one error that every rank has.
Error common_error(const Outcomes& outcomes) {
  for (const auto& outcome : outcomes) {
    EXPECT_FALSE(outcome->ok());
    if (outcome->ok()) return {};
    EXPECT_EQ(outcome->error().text(), outcomes[0]->error().text());
    EXPECT_EQ(outcome->error().ranks, outcomes[0]->error().ranks);
  }
  return outcomes[0]->error();
}

Contract sample(double jitter = 0.1) {
  return Contract::Builder()
      .real("jitter", jitter, Share::open)
      .text("dataset", "meadow")
      .build()
      .value();
}

TEST(Agree, EqualContractsMakeAnAgreement) {
  Table table(3);
  const Outcomes outcomes = agree_all(table, {sample(), sample(), sample()});
  for (const auto& outcome : outcomes) {
    const Agreement& agreement = outcome->value();
    EXPECT_EQ(agreement.fingerprint(), sample().fingerprint(Epoch{}));
    EXPECT_EQ(agreement.contract().digest(), sample().digest());
    EXPECT_EQ(agreement.epoch(), Epoch{});
    EXPECT_EQ(agreement.identity(), (Identity{{0xfeed}, 3}));
    EXPECT_THAT(agreement.ranks(), ElementsAre(0, 1, 2));
  }
}

TEST(Agree, ARankAloneAgrees) {
  Table table(1);
  EXPECT_TRUE(agree_all(table, {Contract()})[0]->ok());
}

TEST(Agree, SharingIsNotPartOfTheContract) {
  Table table(2);
  const Outcomes outcomes =
      agree_all(table, {Contract::Builder().integer("steps", 3).build().value(),
                        Contract::Builder().integer("steps", 3, Share::open).build().value()});
  EXPECT_TRUE(outcomes[0]->ok());
  EXPECT_TRUE(outcomes[1]->ok());
}

TEST(Agree, DriftIsToldAlikeToAll) {
  Table table(3);
  const Error error = common_error(agree_all(table, {sample(), sample(), sample(0.25)}));
  EXPECT_EQ(error.code, Code::contract_mismatch);
  EXPECT_EQ(error.exit_code, 70);
  const auto prefix = [](const Contract& contract) {
    return to_hex(contract.fingerprint(Epoch{})).substr(0, 12);
  };
  EXPECT_EQ(error.what, "ranks hold different contracts: 0-1: " + prefix(sample()) + ", 2: " +
                            prefix(sample(0.25)) + "; jitter differs: 0.1 on 0-1, 0.25 on 2");
  ASSERT_EQ(error.ranks.size(), 1U);
  EXPECT_EQ(error.ranks[0].rank, 2U);
}

TEST(Agree, RanksOfASubsetGoByTheirNumbersInTheJob) {
  Table table(3);
  table.members = {8, 2, 5};
  const Outcomes agreed = agree_all(table, {sample(), sample(), sample()});
  for (const auto& outcome : agreed) EXPECT_THAT(outcome->value().ranks(), ElementsAre(2, 5, 8));

  const Error drift = common_error(agree_all(table, {sample(0.25), sample(), sample()}));
  EXPECT_THAT(drift.what, HasSubstr(": 2, 5: "));
  EXPECT_THAT(drift.what, HasSubstr("; jitter differs: 0.1 on 2, 5, 0.25 on 8"));
  ASSERT_EQ(drift.ranks.size(), 1U);
  EXPECT_EQ(drift.ranks[0].rank, 8U);

  table.alter = [](std::uint32_t rank, Value& part) {
    if (rank != 1) part.clear();  // the lowest in the job is named
  };
  const Error malformed = common_error(agree_all(table, {sample(), sample(), sample()}));
  EXPECT_THAT(malformed.what, StartsWith("rank 5 sent a malformed agreement record"));
  ASSERT_EQ(malformed.ranks.size(), 1U);
  EXPECT_EQ(malformed.ranks[0].rank, 5U);
}

TEST(Agree, ItsOwnAlteredRecordIsNamedByItsNumberInTheJob) {
  Table table(1);
  table.members = {6};
  table.alter = [](std::uint32_t, Value& part) {
    part = accord::encode(accord::make_record(Epoch{}, sample(0.2)));
  };
  const Error error = common_error(agree_all(table, {sample()}));
  EXPECT_EQ(error.what, "the exchange altered what rank 6 had sent");
}

TEST(Agree, LocalValuesNeverLeaveTheRank) {
  Table table(2);
  const auto secretive = [](const char* phrase) {
    return Contract::Builder().text("phrase", phrase).integer("a", 1).build().value();
  };
  const Error error = common_error(agree_all(table, {secretive("tulip"), secretive("crocus")}));
  EXPECT_THAT(error.what, HasSubstr("phrase differs: one value on 0, another on 1"));
  for (const Value& part : table.parts) {
    for (const char* phrase : {"tulip", "crocus"}) {
      EXPECT_THAT(std::string(as_text(part)), Not(HasSubstr(phrase)));
      EXPECT_THAT(error.text(), Not(HasSubstr(phrase)));
    }
  }
}

TEST(Agree, AMalformedRecordIsNamedToAll) {
  Table table(3);
  table.alter = [](std::uint32_t rank, Value& part) {
    if (rank == 1) part = to_value("\x01 but nothing else");
  };
  const Error error = common_error(agree_all(table, {sample(), sample(), sample()}));
  EXPECT_EQ(error.code, Code::protocol);
  EXPECT_EQ(error.exit_code, 70);
  EXPECT_EQ(error.what, "rank 1 sent a malformed agreement record: it ends within its head");
  ASSERT_EQ(error.ranks.size(), 1U);
  EXPECT_EQ(error.ranks[0].rank, 1U);
}

TEST(Agree, AnAlteredRecordIsNoAgreement) {
  Table table(1);
  table.alter = [](std::uint32_t, Value& part) {
    part = accord::encode(accord::make_record(Epoch{}, sample(0.2)));
  };
  const Error error = common_error(agree_all(table, {sample()}));
  EXPECT_EQ(error.code, Code::protocol);
  EXPECT_EQ(error.exit_code, 70);
  EXPECT_EQ(error.what, "the exchange altered what rank 0 had sent");
}

TEST(Agree, AMissingPartIsNoAgreement) {
  struct Short : TableGroup {
    using TableGroup::TableGroup;
    Result<Parts> arrive(const Call& call, Deadline) override { return Parts{call.payload}; }
  };
  Table table(2);
  Short group(table, 0);
  const auto agreed = agree(group, Epoch{}, sample());
  EXPECT_EQ(agreed.error().code, Code::protocol);
  EXPECT_THAT(agreed.error().what, StartsWith("the exchange gave 1 records for 2 ranks"));
}

TEST(Agree, WhatTheRoundSaysIsPassedOn) {
  Table table(2);
  table.error = Error{.code = Code::rank_missing, .what = "rank 5 did not come", .exit_code = 9};
  const Error error = common_error(agree_all(table, {sample(), sample()}));
  EXPECT_EQ(error.code, Code::rank_missing);
  EXPECT_EQ(error.what, "rank 5 did not come");
  EXPECT_EQ(error.exit_code, 9);
}

TEST(Agree, RanksOfOtherEpochsDoNotMeet) {
  Table table(2);
  Epoch other;
  other.bytes[0] = std::byte{1};
  const Outcomes outcomes = agree_all(table, {sample(), sample()}, {Epoch{}, other});
  EXPECT_EQ(outcomes[0]->error().code, Code::mismatch);
  EXPECT_EQ(outcomes[1]->error().code, Code::mismatch);
}

TEST(Agree, TheExchangeIsBoundToTheIdentityNotToTheContract) {
  Table table(2);
  agree_all(table, {sample(), sample(0.3)});
  for (const Call& call : table.calls) {
    EXPECT_EQ(call.kind, Kind::exchange);
    EXPECT_EQ(call.token, accord::agreement_token(Epoch{}, {{0xfeed}, 3}));
  }
}

TEST(Agree, TheDeadlineIsResolvedOnceAtEntry) {
  Table table(1);
  TableGroup group(table, 0);
  ASSERT_TRUE(agree(group, Epoch{}, sample()).ok());
  EXPECT_EQ(group.until, noon + std::chrono::seconds{7});
  ASSERT_TRUE(agree(group, Epoch{}, sample(), Deadline::in(std::chrono::seconds{2})).ok());
  EXPECT_EQ(group.until, noon + std::chrono::seconds{2});
}

}  // namespace
}  // namespace muster
