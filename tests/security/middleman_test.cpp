// What somebody on the way can do: cut a link, and nothing else.
#include "middleman.hpp"

#include <gmock/gmock.h>
#include <mutex>
#include <optional>
#include <utility>

#include "protected_job.hpp"
#include "wire/hello.hpp"

namespace muster::security_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Value pass_on(Way, std::size_t, Value record) {
  return record;
}

bool is_data(const Value& record) {
  return record.size() > 5 && record[0] == std::byte{0x17};
}

/// What becomes of records that carry data of a joined rank, `touched` being the first of them.
using Attack = std::function<Value(Value record, bool touched)>;

/// Rank 0 joins through a middleman that lets everything pass until told to attack one way.
class OnTheWay : public testing::TestWithParam<Way> {
 protected:
  void expect_link_ends(const Attack& attack) {
    std::atomic<bool> armed{false}, touched{false};
    Middleman middleman(served_.url(), [&](Way way, std::size_t, Value record) {
      if (!armed || way != GetParam() || !is_data(record)) return record;
      return attack(std::move(record), !touched.exchange(true));
    });
    auto job = ProtectedJob::join(middleman.url(), by_tls(secret_));
    ASSERT_TRUE(job) << job.error().text();
    ASSERT_TRUE(job->store().add("count", 1));
    armed = true;
    Result<std::int64_t> added = 0;
    // Who waits for an answer that was held back times out; the next record shows it.
    for (int i = 0; i < 50 && (added || added.error().code == Code::timeout); ++i) {
      added = job->store().add("count", 1, Deadline::in(200ms));
    }
    ASSERT_FALSE(added);
    EXPECT_TRUE(added.error().code == Code::protocol || added.error().code == Code::server_lost)
        << added.error().text();
    if (GetParam() == Way::to_client) {
      EXPECT_THAT(added.error().text(), HasSubstr("TLS says that a record was altered, left out"));
    } else {
      EXPECT_TRUE(served_.logs("TLS failed: a record was altered, left out or repeated"))
          << served_.log();
    }
  }

  const Secret secret_ = Secret::random();
  ProtectedJob served_{by_tls(secret_)};
};

TEST_P(OnTheWay, AFlippedBitEndsTheLink) {
  expect_link_ends([](Value record, bool touched) {
    if (touched) record.back() ^= std::byte{1};
    return record;
  });
}

TEST_P(OnTheWay, ARecordLeftOutEndsTheLink) {
  expect_link_ends([](Value record, bool touched) { return touched ? Value() : record; });
}

TEST_P(OnTheWay, RecordsInAnotherOrderEndTheLink) {
  expect_link_ends([held = Value()](Value record, bool touched) mutable {
    if (touched) return std::exchange(held, std::move(record));
    record.insert(record.end(), held.begin(), held.end());
    return record;
  });
}

TEST_P(OnTheWay, ARecordSentTwiceEndsTheLink) {
  expect_link_ends([](Value record, bool) {
    const Value once = record;
    record.insert(record.end(), once.begin(), once.end());
    return record;
  });
}

TEST_P(OnTheWay, ARecordOfAnotherLinkEndsTheLink) {
  Value foreign;
  std::mutex mutex;
  {
    Middleman recorder(served_.url(), [&](Way way, std::size_t, Value record) {
      const std::lock_guard lock(mutex);
      if (way == GetParam() && is_data(record)) foreign = record;
      return record;
    });
    auto store = connect_store(recorder.url(), {}, by_tls(secret_));
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE((*store)->set("k", as_bytes("v")));
  }
  ASSERT_FALSE(foreign.empty());
  expect_link_ends([&](Value record, bool touched) { return touched ? foreign : record; });
}

INSTANTIATE_TEST_SUITE_P(Ways, OnTheWay, testing::Values(Way::to_server, Way::to_client),
                         [](const auto& way) {
                           return way.param == Way::to_server ? "ToServer" : "ToClient";
                         });

/// Joins through one who meddles with everything from the start.
class Meddled : public testing::Test {
 protected:
  Result<Job> join(const Middleman::Meddle& meddle, const Credentials& credentials,
                   Duration time = 60s) {
    Middleman middleman(served_->url(), meddle);
    return ProtectedJob::join(middleman.url(), credentials, "", time);
  }
  void serve(const Credentials& credentials) { served_.emplace(credentials); }

  const Secret secret_ = Secret::random();
  std::optional<ProtectedJob> served_;
};

TEST_F(Meddled, TlsThatIsTakenOffIsNotDoneWithout) {
  serve({});  // the middleman's own, in the clear
  const auto job = join(pass_on, by_tls(secret_));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, Code::protocol);
  EXPECT_THAT(job.error().text(), HasSubstr("does not speak TLS"));
}

TEST_F(Meddled, AnyByteOfTheHandshakeThatIsFlippedIsSeen) {
  serve(by_tls(secret_));
  for (const Way meddled : {Way::to_server, Way::to_client}) {
    for (std::size_t place = 5; place < 120; place += 19) {
      const auto flip = [&](Way way, std::size_t number, Value record) {
        if (way == meddled && number == 0 && place < record.size()) record[place] ^= std::byte{4};
        return record;
      };
      const auto job = join(flip, by_tls(secret_), 2s);
      ASSERT_FALSE(job) << place;
    }
  }
  EXPECT_EQ(served_->status().joined, 0U);
  EXPECT_TRUE(join(pass_on, by_tls(secret_)));
}

/// An attacker who repeats what a member said is no member.
TEST_F(Meddled, AReplayedClientGetsNowhere) {
  for (const Credentials& credentials : {by_tls(secret_), by_secret(secret_)}) {
    serve(credentials);
    std::mutex mutex;
    std::vector<Value> said;
    {
      Middleman recorder(served_->url(), [&](Way way, std::size_t, Value bytes) {
        const std::lock_guard lock(mutex);
        if (way == Way::to_server) said.push_back(bytes);
        return bytes;
      });
      auto store = connect_store(recorder.url(), {}, credentials);
      ASSERT_TRUE(store) << store.error().text();
      ASSERT_TRUE((*store)->set("k", as_bytes("v")));
    }
    const auto replay = [&](Way way, std::size_t number, Value bytes) {
      if (way == Way::to_client) return bytes;
      return number < said.size() ? said[number] : Value{};
    };
    Middleman replayer(served_->url(), replay);
    const auto store = connect_store(replayer.url(), Deadline::in(2s), credentials);
    EXPECT_FALSE(store);
    EXPECT_TRUE(served_->logs("turned 127.0.0.1")) << served_->log();
  }
}

/// Nobody proves a secret by sending a server's words back to it.
TEST_F(Meddled, AReflectedServerIsNoServer) {
  for (const Credentials& credentials : {by_tls(secret_), by_secret(secret_)}) {
    serve(credentials);
    std::mutex mutex;
    Value mine;
    Middleman echo(served_->url(), [&](Way way, std::size_t, Value bytes) {
      const std::lock_guard lock(mutex);
      if (way == Way::to_server) mine = bytes;
      return way == Way::to_client ? mine : bytes;
    });
    const auto job = ProtectedJob::join(echo.url(), credentials, "", 2s);
    ASSERT_FALSE(job);
    EXPECT_EQ(served_->status().joined, 0U);
  }
}

TEST_F(Meddled, ASecretIsAskedForThoughSomebodySaysOtherwise) {
  serve(by_secret(secret_));
  // The client's hello as of one without a secret: the server refuses it, and hellos are proven.
  const auto swap = [](Way way, std::size_t number, Value bytes) {
    const auto hello = wire::decode_client_hello(bytes);
    if (way != Way::to_server || number != 0 || !hello) return bytes;
    wire::ClientHello other = *hello;
    other.auth = wire::Auth::none;
    return wire::encode(other);
  };
  const auto stripped = join(swap, by_secret(secret_));
  ASSERT_FALSE(stripped);
  EXPECT_THAT(stripped.error().text(), HasSubstr("asks for its secret, and you have none"));
  const auto other_rank = [](Way way, std::size_t number, Value bytes) {
    auto hello = wire::decode_client_hello(bytes);
    if (way != Way::to_server || number != 0 || !hello) return bytes;
    hello->ranks = {{1, 1}};
    return wire::encode(*hello);
  };
  const auto swapped = join(other_rank, by_secret(secret_));
  ASSERT_FALSE(swapped);
  EXPECT_THAT(swapped.error().text(), HasSubstr("the proof is wrong"));
}

}  // namespace
}  // namespace muster::security_test
