#include "server/core/wording.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "server/core/table.hpp"

namespace muster::server {
namespace {

TEST(Wording, NamesRanksCallsTimesAndMessages) {
  EXPECT_EQ(ranks_text(std::vector<std::uint32_t>{2}), "rank 2");
  EXPECT_EQ(ranks_text(std::vector<std::uint32_t>{0, 1, 3}), "ranks 0-1, 3");
  EXPECT_EQ(seconds_text(std::chrono::milliseconds{1950}), "1.950 s");
  EXPECT_EQ(call_text(Kind::barrier, "epoch end", 17), "barrier 'epoch end' #17");
  EXPECT_EQ(call_text(Kind::gather, "", 1), "gather #1");
  EXPECT_EQ(call_text(Kind::allgather, "a\n"), "allgather 'a\\x0a'");
  EXPECT_EQ(message_text(wire::Type::leave), "LEAVE");
  EXPECT_EQ(message_text(wire::Type::compare_set), "COMPARE_SET");
  EXPECT_EQ(message_text(static_cast<wire::Type>(77)), "message of type 77");
}

TEST(Wording, NamesSomeKeysAndCountsTheRest) {
  std::vector<std::string> keys{"a"};
  EXPECT_EQ(keys_text(keys), "key 'a'");
  keys.assign(8, "b\n");
  EXPECT_TRUE(keys_text(keys).starts_with("keys 'b\\x0a', 'b\\x0a', 'b"));
  EXPECT_EQ(keys_text(keys).find("more"), std::string::npos);
  keys.resize(1024);
  EXPECT_TRUE(keys_text(keys).ends_with(", 'b\\x0a' and 1016 more"));
}

TEST(Wording, SaysHowAnOwnerEnded) {
  const RankName who{3, "c", 13, ""};
  EXPECT_EQ(departure_text({Code::rank_left, who}), "rank 3 (host c, pid 13) left");
  EXPECT_EQ(departure_text({Code::rank_failed, who}), "rank 3 (host c, pid 13) failed");
  EXPECT_EQ(departure_text({Code::rank_lost, who}), "rank 3 (host c, pid 13) was lost");
}

}  // namespace
}  // namespace muster::server
