#include <gtest/gtest.h>
#include <limits>

#include <muster/contract.hpp>

#include "base/limits.hpp"

namespace muster {
namespace {

Error refused(const Contract::Builder& builder) {
  const auto built = builder.build();
  EXPECT_FALSE(built.ok());
  return built.ok() ? Error{} : built.error();
}

TEST(Contract, EmptyIsAContract) {
  const Contract empty;
  EXPECT_TRUE(empty.entries().empty());
  EXPECT_EQ(empty.digest(), Contract::Builder().build().value().digest());
}

TEST(Contract, OrderAndSharingDoNotMatter) {
  const Contract a =
      Contract::Builder().integer("steps", 3).real("rate", 0.1, Share::open).build().value();
  const Contract b =
      Contract::Builder().real("rate", 1e-1).integer("steps", 3, Share::open).build().value();
  EXPECT_EQ(a.canonical(), b.canonical());
  EXPECT_EQ(a.digest(), b.digest());
  EXPECT_EQ(a.fingerprint(Epoch{}), b.fingerprint(Epoch{}));
  ASSERT_EQ(b.entries().size(), 2U);
  EXPECT_EQ(b.entries()[0].name, "rate");
}

TEST(Contract, SortsByBytes) {
  const Contract contract =
      Contract::Builder().integer("b", 1).integer("B", 1).integer("a~", 1).build().value();
  EXPECT_EQ(contract.entries()[0].name, "B");
  EXPECT_EQ(contract.entries()[1].name, "a~");
  EXPECT_EQ(contract.entries()[2].name, "b");
}

TEST(Contract, NameTypeAndValueAllCount) {
  const Digest one = Contract::Builder().integer("a", 1).build().value().digest();
  EXPECT_NE(one, Contract::Builder().integer("b", 1).build().value().digest());
  EXPECT_NE(one, Contract::Builder().integer("a", 2).build().value().digest());
  // The same eight bytes, as something else.
  const Value bytes = Contract::Builder().integer("a", 1).build().value().entries()[0].value;
  EXPECT_NE(one, Contract::Builder().blob("a", bytes).build().value().digest());
}

TEST(Contract, ZeroHasOneForm) {
  EXPECT_EQ(Contract::Builder().real("x", -0.0).build().value().digest(),
            Contract::Builder().real("x", 0.0).build().value().digest());
}

TEST(Contract, TheFingerprintIsBoundToTheEpoch) {
  const Contract contract = Contract::Builder().integer("a", 1).build().value();
  Epoch other;
  other.bytes[0] = std::byte{1};
  EXPECT_NE(contract.fingerprint(Epoch{}), contract.fingerprint(other));
  EXPECT_EQ(contract.fingerprint(Epoch{}), contract.fingerprint(Epoch{}));
}

TEST(Contract, NamesAreChecked) {
  for (const char* name : {"", "two words", "tab\there", "gr\xc3\xbc\xc3\x9f", "del\x7f"}) {
    const Error error = refused(Contract::Builder().integer(name, 1));
    EXPECT_EQ(error.code, Code::invalid_argument);
    EXPECT_NE(error.what.find("its name is malformed"), std::string::npos) << error.what;
  }
  const std::string longest(limits::entry_name_bytes_max, 'n');
  EXPECT_TRUE(Contract::Builder().integer(longest, 1).build().ok());
  const Error error = refused(Contract::Builder().integer(longest + "n", 1));
  EXPECT_EQ(error.code, Code::limit);
  EXPECT_NE(error.what.find("129 bytes long; at most 128"), std::string::npos) << error.what;
}

TEST(Contract, ANameGivenTwiceIsRefused) {
  const Error error = refused(Contract::Builder().integer("rate", 1).real("rate", 2));
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_EQ(error.what, "entry 'rate' is given twice");
}

TEST(Contract, ARealIsFinite) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    const Error error = refused(Contract::Builder().real("rate", value));
    EXPECT_EQ(error.code, Code::invalid_argument);
    EXPECT_EQ(error.what, "entry 'rate': its value is not a valid real");
  }
}

TEST(Contract, ATextIsUtf8AndIsNotShown) {
  EXPECT_TRUE(Contract::Builder().text("t", "gr\xc3\xbc\xc3\x9f").build().ok());
  const Error error = refused(Contract::Builder().text("t", "hush\xff"));
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_EQ(error.what, "entry 't': its value is not a valid text");
  EXPECT_EQ(error.text().find("hush"), std::string::npos);
}

TEST(Contract, ValuesAreBounded) {
  const std::string largest(limits::entry_value_bytes_max, 'v');
  EXPECT_TRUE(Contract::Builder().text("t", largest).blob("b", to_value(largest)).build().ok());
  for (const Error& error : {refused(Contract::Builder().text("t", largest + "v")),
                             refused(Contract::Builder().blob("t", to_value(largest + "v")))}) {
    EXPECT_EQ(error.code, Code::limit);
    EXPECT_EQ(error.what, "entry 't': its value is 4097 bytes long; at most 4096 are allowed");
  }
}

TEST(Contract, EntriesAreBounded) {
  Contract::Builder builder;
  for (std::size_t i = 0; i < limits::contract_entries_max; ++i) {
    builder.boolean("entry-" + std::to_string(i), true);
  }
  EXPECT_TRUE(builder.build().ok());
  const Error error = refused(builder.boolean("another", true));
  EXPECT_EQ(error.code, Code::limit);
  EXPECT_EQ(error.what, "entry 'another' is one too many: a contract has at most 256");
}

TEST(Contract, TheWholeIsBounded) {
  // The label and the count take 23 bytes, an entry with a name of one letter 10 and its value.
  Contract::Builder builder;
  for (char name = 'a'; name < 'a' + 15; ++name) {
    builder.blob(std::string(1, name), Value(limits::entry_value_bytes_max));
  }
  const std::size_t left =
      limits::contract_bytes_max - 23 - 15 * (10 + limits::entry_value_bytes_max) - 10;
  Contract::Builder one_more = builder;
  const Contract full = builder.blob("z", Value(left)).build().value();
  EXPECT_EQ(full.canonical().size(), limits::contract_bytes_max);
  const Error error = refused(one_more.blob("z", Value(left + 1)));
  EXPECT_EQ(error.code, Code::limit);
  EXPECT_EQ(error.what,
            "with entry 'z' the contract takes 65537 bytes; at most 65536 are allowed in all");
}

TEST(Contract, TheFirstProblemIsTheOneThatIsSaid) {
  Contract::Builder builder;
  builder.integer("two words", 1).real("rate", std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(refused(builder).what.find("'two words'"), std::string::npos);
}

}  // namespace
}  // namespace muster
