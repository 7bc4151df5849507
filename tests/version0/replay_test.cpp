// The client's side of every captured session against a real server, whose bytes must be the
// reference's.
#include <gtest/gtest.h>

#include <muster/digest.hpp>

#include "raw_client.hpp"
#include "sessions.hpp"

namespace muster::version0 {
namespace {

TEST(Replay, EverySessionGoesAsItWasCaptured) {
  const auto server = serve();
  std::size_t compared = 0;
  for (const Session& session : sessions()) {
    RawClient client(*server, false);
    for (const Step& step : session.steps) {
      if (step.by_client) {
        client.link().send(step.bytes);
      } else if (step.bytes.empty()) {
        EXPECT_EQ(client.link().receive(), "") << session.name;
        EXPECT_TRUE(client.link().closed_within()) << session.name;
      } else {
        const std::string answer = client.link().receive(step.bytes.size());
        EXPECT_EQ(to_hex(as_bytes(answer)), to_hex(as_bytes(step.bytes))) << session.name;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 35U);
}

}  // namespace
}  // namespace muster::version0
