#include "server/core/wording.hpp"

#include <gtest/gtest.h>
#include <vector>

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
  EXPECT_EQ(message_text(static_cast<wire::Type>(77)), "message of type 77");
}

}  // namespace
}  // namespace muster::server
