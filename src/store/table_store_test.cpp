// What the conformance suite does not say of a table in this process: its quota.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include <muster/store.hpp>

#include "server/core/table.hpp"

namespace muster {
namespace {

using testing::HasSubstr;

constexpr std::size_t cost = server::Table::entry_bytes + 1 + 10;

TEST(TableStore, ItsQuotaIsExactAndAnErrorChangesNothing) {
  const auto store = make_table_store(2 * cost);
  const Value ten(10);
  const Value eleven(11);
  EXPECT_TRUE(store->multi_set(std::vector<KeyValue>{{"a", ten}, {"b", ten}}));
  std::vector<std::string> told;
  store->watch("", [&](const Change& change) { told.push_back(change.key); }).value();
  const std::vector<KeyValue> too_much{{"a", eleven}, {"b", ten}};
  for (const Error& error :
       {store->set("a", eleven).error(), store->set("c", {}).error(), store->add("c", 1).error(),
        store->append("a", as_bytes("x")).error(),
        store->compare_set("c", std::nullopt, {}).error(), store->multi_set(too_much).error()}) {
    EXPECT_EQ(error.code, Code::quota) << error.text();
    EXPECT_THAT(error.what, HasSubstr("quota is 406 bytes"));
  }
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(store->get("a").value(), ten);
  EXPECT_TRUE(store->remove("b").value());
  EXPECT_TRUE(store->set("c", ten));
  EXPECT_EQ(told, (std::vector<std::string>{"b", "c"}));
}

TEST(TableStore, SaysWhatItIsNot) {
  const Error error = make_table_store()->set_owned("k", {}).error();
  EXPECT_EQ(error.code, Code::unsupported);
  EXPECT_THAT(error.text(), HasSubstr("without ranks (use the store of a job)"));
}

}  // namespace
}  // namespace muster
