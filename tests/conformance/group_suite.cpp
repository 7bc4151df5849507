#include "conformance/group_suite.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t sizes[] = {1, 2, 3, 8};

/// What rank `rank` brings where sizes may differ: rank 0 nothing.
std::string gift(std::uint32_t rank) {
  return std::string(std::size_t{rank} * 3, static_cast<char>('a' + rank));
}

void expect_gifts(const Result<Parts>& parts, std::uint32_t size) {
  ASSERT_TRUE(parts) << parts.error().text();
  ASSERT_EQ(parts->size(), size);
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    EXPECT_EQ(as_text((*parts)[rank]), gift(rank)) << "part " << rank;
  }
}

std::vector<std::string> texts_of(const Result<Parts>& parts) {
  std::vector<std::string> texts;
  for (const Bytes part : parts.value()) texts.emplace_back(as_text(part));
  return texts;
}

std::vector<Bytes> bytes_of(const std::vector<std::string>& texts) {
  std::vector<Bytes> bytes;
  for (const std::string& text : texts) bytes.push_back(as_bytes(text));
  return bytes;
}

}  // namespace

/// A subset's members are ranks size, size - 1, ... 1 of a job with a rank more at each end.
void BasicGroupSuite::run(std::uint32_t size, const std::function<void(Group&)>& body) {
  if (GetParam().of == Of::world) return ranks_->run(size, body);
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = 0; rank < size; ++rank) members.push_back(named(rank, size));
  std::atomic<std::uint32_t> have_run = 0;
  ranks_->run(size + 2, [&](Group& world) {
    if (world.rank() == 0 || world.rank() > size) return;
    auto subset = world.subset(members);
    ASSERT_TRUE(subset) << subset.error().text();
    EXPECT_EQ((*subset)->rank_in_job((*subset)->rank()), world.rank());
    body(**subset);
    ++have_run;
    ranks_->wait_until([&] { return have_run == size; });  // nobody closes it before
  });
}

TEST_P(BasicGroupSuite, KnowsItsRanks) {
  for (const std::uint32_t size : sizes) {
    std::vector<Identity> identities(size);
    run(size, [&](Group& group) {
      ASSERT_LT(group.rank(), size);
      EXPECT_EQ(group.size(), size);
      identities[group.rank()] = group.identity();
      EXPECT_GE(group.resolve(Deadline::in(1s)), group.now());
    });
    for (const Identity& identity : identities) {
      EXPECT_NE(identity.incarnation.number, 0U) << "every rank has run, and knows its job";
      EXPECT_EQ(identity, identities[0]);
    }
  }
}

TEST_P(BasicGroupSuite, BarrierWaitsForAll) {
  for (const std::uint32_t size : sizes) {
    std::atomic<std::uint32_t> inside = 0;
    run(size, [&](Group& group) {
      for (std::uint32_t round = 1; round <= 20; ++round) {
        ++inside;
        const auto done = group.barrier("round");
        ASSERT_TRUE(done) << done.error().text();
        EXPECT_GE(inside, round * size) << "somebody was let through early";
      }
    });
  }
}

TEST_P(GroupSuite, BroadcastFromEachRoot) {
  for (const std::uint32_t size : sizes) {
    run(size, [&](Group& group) {
      for (std::uint32_t root = 0; root < size; ++root) {
        const std::string payload = gift(group.rank());  // counts on the root only
        const auto got = group.broadcast(as_bytes(payload), root, "news");
        ASSERT_TRUE(got) << got.error().text();
        EXPECT_EQ(as_text(*got), gift(root));
      }
    });
  }
}

TEST_P(GroupSuite, GatherToEachRoot) {
  for (const std::uint32_t size : sizes) {
    run(size, [&](Group& group) {
      for (std::uint32_t root = 0; root < size; ++root) {
        const auto parts = group.gather(as_bytes(gift(group.rank())), root);
        if (group.rank() == root) {
          expect_gifts(parts, size);
        } else {
          ASSERT_TRUE(parts) << parts.error().text();
          EXPECT_TRUE(parts->empty());
        }
      }
    });
  }
}

TEST_P(GroupSuite, ScatterFromEachRoot) {
  for (const std::uint32_t size : sizes) {
    run(size, [&](Group& group) {
      for (std::uint32_t root = 0; root < size; ++root) {
        std::vector<std::string> gifts;
        for (std::uint32_t rank = 0; rank < size; ++rank) gifts.push_back(gift(root + rank));
        std::vector<Bytes> payloads = bytes_of(gifts);
        // They count on the root only: the others may bring none, or some that nobody takes.
        if (group.rank() % 2 == 1 && group.rank() != root) payloads.pop_back();
        const auto got = group.scatter(payloads, root, "deal");
        ASSERT_TRUE(got) << got.error().text();
        EXPECT_EQ(as_text(*got), gift(root + group.rank()));
      }
    });
  }
}

TEST_P(GroupSuite, AlltoallGivesEachWhatAllHaveForIt) {
  const auto letter = [](std::uint32_t from, std::uint32_t to) {
    return "from " + std::to_string(from) + " to " + std::to_string(to);
  };
  for (const std::uint32_t size : sizes) {
    run(size, [&](Group& group) {
      for (int round = 0; round < 3; ++round) {
        std::vector<std::string> letters;
        std::vector<std::string> expected;
        for (std::uint32_t rank = 0; rank < size; ++rank) {
          letters.push_back(letter(group.rank(), rank));
          expected.push_back(letter(rank, group.rank()));
        }
        const std::vector<Bytes> payloads = bytes_of(letters);
        EXPECT_EQ(texts_of(group.alltoall(payloads, "mail")), expected);
      }
    });
  }
}

TEST_P(BasicGroupSuite, AllgatherOfOneSize) {
  for (const std::uint32_t size : sizes) {
    run(size, [&](Group& group) {
      const std::string mine(5, static_cast<char>('0' + group.rank()));
      const auto parts = group.allgather(as_bytes(mine));
      ASSERT_TRUE(parts) << parts.error().text();
      ASSERT_EQ(parts->size(), size);
      for (std::uint32_t rank = 0; rank < size; ++rank) {
        EXPECT_EQ(as_text((*parts)[rank]), std::string(5, static_cast<char>('0' + rank)));
      }
    });
  }
}

TEST_P(GroupSuite, AllgathervAndExchangeOfAnySizes) {
  const Digest token = sha256(as_bytes("token"));
  for (const std::uint32_t size : sizes) {
    run(size, [&](Group& group) {
      expect_gifts(group.allgatherv(as_bytes(gift(group.rank()))), size);
      expect_gifts(group.exchange("phase", token, as_bytes(gift(group.rank())), Deadline::in(60s)),
                   size);
    });
  }
}

TEST_P(GroupSuite, EmptyPayloads) {
  run(3, [](Group& group) {
    EXPECT_EQ(texts_of(group.allgather({})), (std::vector<std::string>{"", "", ""}));
    EXPECT_EQ(texts_of(group.allgatherv({})), (std::vector<std::string>{"", "", ""}));
    EXPECT_EQ(group.broadcast({}, 1).value(), Value{});
    EXPECT_EQ(texts_of(group.gather({}, 0)).size(), group.rank() == 0 ? 3U : 0U);
    EXPECT_EQ(group.scatter(std::vector<Bytes>(3), 2).value(), Value{});
    EXPECT_EQ(texts_of(group.alltoall(std::vector<Bytes>(3))),
              (std::vector<std::string>{"", "", ""}));
  });
}

TEST_P(GroupSuite, LargePayloads) {
  constexpr std::size_t bytes = 3U << 20;
  const auto filled = [](std::uint32_t rank) {
    Value value(bytes + rank, static_cast<std::byte>(rank));
    value.back() = std::byte{0xEE};
    return value;
  };
  run(3, [&](Group& group) {
    const auto parts = group.allgatherv(filled(group.rank()));
    ASSERT_TRUE(parts) << parts.error().text();
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(as_text((*parts)[rank]), as_text(filled(rank))) << "part " << rank;
    }
    const auto got = group.broadcast(filled(2), 2);
    ASSERT_TRUE(got) << got.error().text();
    EXPECT_EQ(*got, filled(2));
    const Value mine = filled(group.rank());
    const auto back = group.scatter(std::vector<Bytes>(3, mine), 1);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(*back, filled(1));
    const Value even(bytes, static_cast<std::byte>(group.rank()));
    const auto all = group.alltoall(std::vector<Bytes>(3, even));
    ASSERT_TRUE(all) << all.error().text();
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(as_text((*all)[rank]), std::string(bytes, static_cast<char>(rank)));
    }
  });
}

TEST_P(GroupSuite, ManyRoundsInStep) {
  run(3, [](Group& group) {
    for (int round = 0; round < 200; ++round) {
      const std::string mine = std::to_string(round) + "/" + std::to_string(group.rank());
      const auto parts = group.allgatherv(as_bytes(mine));
      ASSERT_TRUE(parts) << parts.error().text();
      const std::string round_text = std::to_string(round);
      ASSERT_EQ(texts_of(parts), (std::vector<std::string>{round_text + "/0", round_text + "/1",
                                                           round_text + "/2"}));
    }
  });
}

}  // namespace muster::conformance
