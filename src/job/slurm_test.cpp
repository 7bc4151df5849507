#include "job/slurm.hpp"

#include <gtest/gtest.h>
#include <set>

namespace muster {
namespace {

struct List {
  const char* list;
  const char* first;
};

TEST(Slurm, TheFirstHostOfAList) {
  for (const List& good :
       {List{"node1", "node1"}, List{"node1,node2", "node1"}, List{"node[003-005,9],x", "node003"},
        List{"node[9]", "node9"}, List{"node[7,1-3]", "node7"}, List{"login,node[1-2]", "login"},
        List{"rack[0-1]n[4-7]", "rack0n4"}, List{"n[1-2]-ib0,x", "n1-ib0"},
        List{"a-b_c.example.org", "a-b_c.example.org"}, List{"[1-3]", "1"}}) {
    EXPECT_EQ(first_host(good.list), good.first) << good.list;
  }
}

TEST(Slurm, WhatIsNoListHasNoFirstHost) {
  for (const char* bad : {"", ",", ",a", "node[", "node[1-2", "node[]", "node]", "node[a-b]",
                          "node 1", "node/1", "node[[1]]", "node[-1]", "a\n"}) {
    EXPECT_FALSE(first_host(bad)) << bad;
  }
}

TEST(Slurm, PortsStayInTheirRangeAndNeighboursDiffer) {
  std::set<std::uint16_t> seen;
  for (std::uint32_t job = 4'294'967'200; job != 100; ++job) {
    for (std::uint32_t step = 0; step < 3; ++step) {
      const std::uint16_t port = step_port(job, step);
      EXPECT_GE(port, 20480);
      EXPECT_LE(port, 32767);
      EXPECT_TRUE(seen.insert(port).second) << job << '.' << step;
    }
  }
  EXPECT_EQ(step_port(1, 2), 20480 + 63);
}

}  // namespace
}  // namespace muster
