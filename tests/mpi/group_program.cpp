// One rank of an MPI job that does with the plugin's group what the group suite asks for. All ranks
// run the same tests in the same order. With INSIDE_MPI the program has MPI itself, initialised as
// its argument says, and gives the plugin a communicator in another order than the world's.

#include <cstdio>
#include <cstring>
#include <gmock/gmock.h>
#include <set>
#include <string>
#include <vector>

#include <muster/plugin_group.hpp>
#ifdef INSIDE_MPI
#include <mpi.h>
#endif

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

PluginGroup* world = nullptr;

std::string gift(std::uint32_t rank) {
  return std::string(std::size_t{rank} * 3, static_cast<char>('a' + rank));
}

/// All ranks again: what is done to it doesn't matter to the world.
std::unique_ptr<Group> everybody() {
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = 0; rank < world->size(); ++rank) members.push_back(rank);
  return world->subset(members).value();
}

/// Every rank says the same.
void expect_alike(const std::string& text) {
  const auto all = world->allgatherv(as_bytes(text), "compare");
  ASSERT_TRUE(all) << all.error().text();
  for (const Bytes each : *all) EXPECT_EQ(as_text(each), text);
}

TEST(MpiGroup, KnowsItself) {
  EXPECT_EQ(world->size(), 4U);
  EXPECT_THAT(std::string(world->plugin()), HasSubstr("mpi, for "));
  EXPECT_NE(world->identity().incarnation.number, 0U);
  expect_alike(world->identity().incarnation.text());
  const auto all = world->allgather(as_bytes(std::to_string(world->rank())));
  ASSERT_TRUE(all) << all.error().text();
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(as_text((*all)[rank]), std::to_string(rank));
  }
}

TEST(MpiGroup, CollectivesFromEachRoot) {
  for (std::uint32_t root = 0; root < world->size(); ++root) {
    EXPECT_EQ(as_text(world->broadcast(as_bytes(gift(world->rank())), root).value()), gift(root));
    const Parts gathered = world->gather(as_bytes(gift(world->rank())), root).value();
    EXPECT_EQ(gathered.size(), world->rank() == root ? 4U : 0U);
    std::vector<std::string> gifts;
    for (std::uint32_t rank = 0; rank < 4; ++rank) gifts.push_back(gift(root + rank));
    std::vector<Bytes> payloads;
    for (const std::string& each : gifts) payloads.push_back(as_bytes(each));
    EXPECT_EQ(as_text(world->scatter(payloads, root).value()), gift(root + world->rank()));
  }
  std::vector<std::string> letters;
  for (std::uint32_t to = 0; to < 4; ++to)
    letters.push_back(std::to_string(world->rank() * 4 + to));
  for (std::string& letter : letters) letter.resize(2);
  const auto mail = world->alltoall(std::vector<Bytes>{as_bytes(letters[0]), as_bytes(letters[1]),
                                                       as_bytes(letters[2]), as_bytes(letters[3])});
  ASSERT_TRUE(mail) << mail.error().text();
  for (std::uint32_t from = 0; from < 4; ++from) {
    std::string expected = std::to_string(from * 4 + world->rank());
    expected.resize(2);
    EXPECT_EQ(as_text((*mail)[from]), expected);
  }
}

TEST(MpiGroup, ManyRoundsAndLargeOnes) {
  for (int round = 0; round < 100; ++round) {
    const auto parts = world->allgatherv(as_bytes(std::to_string(round) + gift(world->rank())));
    ASSERT_TRUE(parts) << parts.error().text();
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      ASSERT_EQ(as_text((*parts)[rank]), std::to_string(round) + gift(rank));
    }
  }
  const Value large(3U << 20, static_cast<std::byte>(world->rank()));
  const auto all = world->exchange("large", sha256({}), large, Deadline::in(60s));
  ASSERT_TRUE(all) << all.error().text();
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(to_value((*all)[rank]), Value(3U << 20, static_cast<std::byte>(rank)));
  }
}

TEST(MpiGroup, WhoDisagreesIsToldBothSides) {
  const auto group = everybody();
  const bool other = world->rank() == 2;
  const Error error = group->barrier(other ? "checkpoint" : "epoch end").error();
  EXPECT_EQ(error.code, Code::mismatch);
  EXPECT_THAT(error.what, AllOf(HasSubstr("'checkpoint'"), HasSubstr("'epoch end'")));
  EXPECT_EQ(group->barrier().error().what, error.what) << "broken for good";
  expect_alike(error.what);
  const Error sizes = everybody()->allgather(as_bytes(gift(world->rank()))).error();
  EXPECT_EQ(sizes.code, Code::mismatch);
  const Error tokens =
      everybody()->exchange("p", sha256(as_bytes(gift(world->rank()))), {}, {}).error();
  EXPECT_THAT(tokens.what, HasSubstr("token"));
}

TEST(MpiGroup, WhoIsMissingIsNamedToAllAndMayComeLate) {
  const auto group = everybody();
  const bool late = world->rank() == 3;
  const char* told = "the others were told";
  EXPECT_TRUE(!late || world->barrier(told).ok());
  const Error error = group->barrier("work", Deadline::in(late ? 60s : 300ms)).error();
  EXPECT_TRUE(late || world->barrier(told).ok());
  EXPECT_EQ(error.code, Code::rank_missing);
  EXPECT_THAT(error.what, AllOf(HasSubstr("1 of 4 ranks"), HasSubstr("barrier 'work'")));
  ASSERT_EQ(error.ranks.size(), 1U);
  EXPECT_EQ(error.ranks[0].rank, 3U);
  EXPECT_NE(error.ranks[0].pid, 0U);
  expect_alike(error.what);
  EXPECT_TRUE(group->barrier("next")) << "all are in step again";
}

TEST(MpiGroup, SubsetsOfSomeInAnotherOrder) {
  const std::vector<std::uint32_t> members = {3, 0, 2};
  if (world->rank() != 1) {
    const auto group = world->subset(members).value();
    const auto parts = group->allgatherv(as_bytes(gift(world->rank())));
    ASSERT_TRUE(parts) << parts.error().text();
    for (std::size_t i = 0; i < members.size(); ++i) {
      EXPECT_EQ(as_text((*parts)[i]), gift(members[i]));
    }
    EXPECT_TRUE(group->barrier("nobody closes it before"));
  }
  EXPECT_TRUE(world->barrier());
}

TEST(MpiGroup, FailingEndsACallOfEveryRank) {
  ASSERT_TRUE(world->barrier("all are well"));
  if (world->rank() == 1) {
    EXPECT_TRUE(world->fail("disk full", 9));
  }
  const Error error = world->barrier("never").error();
  EXPECT_EQ(error.code, Code::rank_failed);
  EXPECT_THAT(error.what, HasSubstr("disk full"));
  EXPECT_EQ(error.exit_code, 9);
}

#ifdef INSIDE_MPI
int level_of(const char* name) {
  if (std::strcmp(name, "single") == 0) return MPI_THREAD_SINGLE;
  if (std::strcmp(name, "funneled") == 0) return MPI_THREAD_FUNNELED;
  return std::strcmp(name, "serialized") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
}

/// The world with its ranks turned round.
MPI_Comm begin_mpi(const char* level) {
  int given = 0;
  int rank = 0;
  MPI_Comm turned = MPI_COMM_NULL;
  MPI_Init_thread(nullptr, nullptr, level_of(level), &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  return turned;
}

/// One rank doesn't make the group: the others must not wait for it longer than they said.
int all_but_one(MPI_Comm turned, PluginOptions options) {
  int rank = 0;
  MPI_Comm_rank(turned, &rank);
  if (rank != 3) {
    options.join_timeout = 500ms;
    const auto group = make_plugin_group("mpi", options);
    std::fprintf(stderr, "%s\n", group ? "joined" : group.error().text().c_str());
  }
  // Whom the others have waited for can't be waited for in MPI_Finalize.
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Abort(MPI_COMM_WORLD, 1);
}

/// MPI goes before the group does: that breaks the group, and nothing else.
int finalize_first(MPI_Comm turned, PluginOptions options) {
  options.join_timeout = 30s;
  auto group = make_plugin_group("mpi", options).value();
  group->barrier("all are in").value();
  MPI_Comm_free(&turned);
  MPI_Finalize();
  const auto done = group->barrier("too late", Deadline::in(5s));
  static_cast<void>(group->leave(Deadline::in(100ms)));
  std::fprintf(stderr, "%s\n", done ? "passed" : name(done.error().code));
  return done ? 1 : 0;
}

/// The group's numbers are the communicator's, and MPI is as it was.
int end_mpi(MPI_Comm turned, std::uint32_t group_rank) {
  int rank = -1;
  int finalized = 0;
  MPI_Comm_rank(turned, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalized(&finalized);
  MPI_Comm_free(&turned);
  MPI_Finalize();
  return finalized == 0 && static_cast<std::uint32_t>(rank) == group_rank ? 0 : 1;
}
#endif

int run(const char* plugin, PluginOptions options) {
  options.join_timeout = 30s;
  options.operation_timeout = 30s;
  auto group = make_plugin_group(plugin, options);
  if (!group) {
    std::fprintf(stderr, "not joined: %s\n", group.error().text().c_str());
    return 1;
  }
  world = group->get();
  const int failed = RUN_ALL_TESTS();
  const auto left = (*group)->leave();
  if (!left) std::fprintf(stderr, "not left: %s\n", left.error().text().c_str());
  return failed != 0 || !left ? 1 : 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  muster::PluginOptions options;
#ifdef INSIDE_MPI
  MPI_Comm turned = muster::begin_mpi(argc > 1 ? argv[1] : "multiple");
  options.argument = &turned;
  int rank = 0;
  MPI_Comm_rank(turned, &rank);
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "absent") return muster::all_but_one(turned, options);
  if (mode == "finalize_first") return muster::finalize_first(turned, options);
  const int failed = muster::run("mpi", options);
  return muster::end_mpi(turned, static_cast<std::uint32_t>(rank)) | failed;
#else
  return muster::run(argc > 1 ? argv[1] : "mpi", options);
#endif
}
