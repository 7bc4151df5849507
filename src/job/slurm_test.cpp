#include "job/slurm.hpp"

#include <gtest/gtest.h>
#include <map>
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

TEST(Slurm, WhoStandsInAList) {
  const char* list = "login,node[003-005,9],rack[0-1]n[8-12],n[1-2]0,[7]";
  for (const char* host : {"login", "node003", "node004", "node005", "node9", "rack0n8", "rack1n12",
                           "rack0n10", "n10", "n20", "7"}) {
    EXPECT_TRUE(lists(list, host)) << host;
  }
  for (const char* host : {"", "log", "login1", "node3", "node006", "node09", "node", "rack2n8",
                           "rack0n7", "rack0n08", "rack0n13", "rack0n", "n1", "n30", "n100", "8"}) {
    EXPECT_FALSE(lists(list, host)) << host;
  }
  for (const char* bad :
       {"", ",", "a[", "a]", "a[]", "a[-1]", "a[x]", "a[4294967296]", "a[1-4294967296]"}) {
    EXPECT_FALSE(lists(bad, "a1")) << bad;
  }
  EXPECT_TRUE(lists("a[1-2", "a1")) << "whether a list is whole is not its question";
}

std::string rank_0(const char* list, const std::map<std::string, std::string>& set) {
  const auto look_up = [&](const char* variable) -> std::optional<std::string_view> {
    const auto found = set.find(variable);
    if (found == set.end()) return std::nullopt;
    return found->second;
  };
  return host_of_rank_0(list, look_up).value_or("nobody");
}

TEST(Slurm, Rank0IsOnTheFirstHost) {
  EXPECT_EQ(rank_0("n[2-3]", {}), "n2");
  EXPECT_EQ(rank_0("n[", {}), "nobody");
}

/// As seen with srun of Slurm 22.05: `srun -w n3 -n 2 : -w n1 -n 2` has rank 0 on n3.
TEST(Slurm, TheComponentsOfAHeterogeneousJobKeepTheirOrder) {
  for (const std::string kind : {"HET", "PACK"}) {
    const std::map<std::string, std::string> set{
        {"SLURM_JOB_ID", "20"},
        {"SLURM_JOB_ID_" + kind + "_GROUP_0", "20"},
        {"SLURM_JOB_ID_" + kind + "_GROUP_1", "21"},
        {"SLURM_JOB_NODELIST_" + kind + "_GROUP_0", "n[3-4]"},
        {"SLURM_JOB_NODELIST_" + kind + "_GROUP_1", "n[1-2]"}};
    EXPECT_EQ(rank_0("n[1-4]", set), "n3");
    EXPECT_EQ(rank_0("n[1-2]", set), "n1") << "a step of the second component";
    EXPECT_EQ(rank_0("n[2,4]", set), "n2") << "a step of neither's first host";
    auto inherited = set;
    inherited["SLURM_JOB_ID"] = "22";
    EXPECT_EQ(rank_0("n[1-4]", inherited), "n1") << "a job that was submitted from within";
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
