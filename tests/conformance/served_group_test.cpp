#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/group_suite.hpp"
#include "conformance/served_job.hpp"
#include "group/server_group.hpp"

namespace muster::conformance {
namespace {

using namespace std::chrono_literals;

/// One thread a rank, each with its link.
class ServedRanks : public Ranks {
 public:
  explicit ServedRanks(Transport transport) : transport_(transport) {}

  void run(std::uint32_t size, const std::function<void(Group&)>& body) override {
    ServedJob job(transport_, size);
    std::vector<std::unique_ptr<Group>> groups(size);
    std::vector<std::jthread> ranks;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      ranks.emplace_back([&, rank] {
        const auto caller = job.link_rank(rank);
        const auto mustered = caller->wait(client::muster_ticket, Clock::now() + 60s);
        ASSERT_TRUE(mustered) << mustered.error().text();
        ASSERT_FALSE(mustered->failed);
        groups[rank] = make_world_group(caller);
        body(*groups[rank]);
      });
    }
    // The links stay until all have ended: who goes without having left is lost.
    ranks.clear();
    join_beside();
  }

  void beside(std::function<void()> also) override {
    const std::lock_guard lock(mutex_);
    beside_.emplace_back(std::move(also));
  }

  void wait_until(const std::function<bool()>& condition) override {
    std::unique_lock lock(mutex_);
    while (!condition()) look_again_.wait_for(lock, 1ms);
  }

 private:
  void join_beside() {
    std::vector<std::jthread> threads;
    const std::lock_guard lock(mutex_);
    threads.swap(beside_);
  }

  Transport transport_;
  std::mutex mutex_;
  std::condition_variable look_again_;
  std::vector<std::jthread> beside_;
};

RanksOver over(std::string name, Transport transport, Of of = Of::world) {
  return {std::move(name), of, [transport] { return std::make_unique<ServedRanks>(transport); }};
}

INSTANTIATE_TEST_SUITE_P(Served, GroupSuite,
                         testing::Values(over("InProcess", Transport::in_process),
                                         over("Tcp", Transport::tcp),
                                         over("Unix", Transport::unix_socket),
                                         over("TcpSubset", Transport::tcp, Of::subset),
                                         over("UnixSubset", Transport::unix_socket, Of::subset)),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::conformance
