#include "mpi/tunnel.hpp"

#include <atomic>
#include <optional>
#include <sys/socket.h>
#include <thread>
#include <utility>

#include "base/host.hpp"
#include "base/no_signals.hpp"
#include "client/core/rank_calls.hpp"
#include "client/driver/link.hpp"
#include "group/server_group.hpp"
#include "mpi/pump.hpp"
#include "net/wait.hpp"

namespace muster::plugins {
namespace {

using namespace std::chrono_literals;

/// How long a rank that has left goes on carrying what others have not read yet, at least.
constexpr Duration drain_min = 100ms;
/// How long a call goes on, having ended, until its words are on their way to ranks that are slow
/// to take them.
constexpr Duration flush_max = 1s;

template <class Work>
std::jthread start_thread(Work work) {
  const NoSignals none;
  return std::jthread(std::move(work));
}

class Tunnel final : public Member {
 public:
  Tunnel(std::unique_ptr<Messages> messages, Carrier carrier)
      : messages_(std::move(messages)), own_thread_(carrier == Carrier::own_thread) {}
  ~Tunnel() override;

  Result<void> join(TimePoint deadline);

  Group& world() override { return *world_; }
  std::uint64_t capabilities() const override;
  Result<void> fail(const std::string& reason, int exit_code) override;
  Result<void> leave(TimePoint deadline) override;
  void run(const std::function<void()>& call) override;

 private:
  Result<net::Fd> open_pump();
  Result<void> enter(net::Fd socket, TimePoint deadline);
  Result<void> close(TimePoint deadline);

  std::unique_ptr<Messages> messages_;
  const bool own_thread_;
  std::unique_ptr<Pump> pump_;
  std::jthread carrier_;  ///< with own_thread_
  std::shared_ptr<client::Caller> caller_;
  std::unique_ptr<Group> world_;
};

Tunnel::~Tunnel() {
  if (messages_) static_cast<void>(close(Clock::now()));
}

std::uint64_t Tunnel::capabilities() const {
  const std::uint64_t always =
      group_functions | MUSTER_PLUGIN_BOUNDED | MUSTER_PLUGIN_TELLS_MISSING;
  return own_thread_ ? always | MUSTER_PLUGIN_ANY_THREAD | MUSTER_PLUGIN_PROGRESS : always;
}

void Tunnel::run(const std::function<void()>& call) {
  if (own_thread_ || !pump_) return call();
  std::atomic<bool> done = false;
  const std::jthread caller = start_thread([&] {
    call();
    done = true;
    pump_->wake();
  });
  while (!done) pump_->step();
  // Who judges has answered itself; the others are to hear of it, too, before this rank goes on to
  // where it carries nothing.
  pump_->flush(Clock::now() + flush_max);
}

Result<void> Tunnel::join(TimePoint deadline) {
  auto socket = open_pump();
  if (!socket) return std::move(socket).error();
  if (own_thread_) {
    carrier_ = start_thread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) pump_->step();
    });
  }
  Result<void> entered;
  run([&] { entered = enter(*std::move(socket), deadline); });
  return entered;
}

/// Returns this rank's own end of its link.
Result<net::Fd> Tunnel::open_pump() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    return Error{.code = Code::system,
                 .phase = Phase::connect,
                 .what = "no pair of sockets for a link: " + net::reason(errno)};
  }
  net::Fd own(ends[1]);
  auto pump = Pump::make(*messages_, net::Fd(ends[0]));
  if (!pump) return std::move(pump).error();
  pump_ = *std::move(pump);
  return own;
}

Result<void> Tunnel::enter(net::Fd socket, TimePoint deadline) {
  client::LinkOptions link;
  link.hello.size = messages_->size();
  link.hello.host = host_name();
  link.hello.pid = process_id();
  link.hello.ranks = {{.first = messages_->rank(), .count = 1}};
  auto caller = client::adopt_link(std::move(socket), std::move(link), deadline);
  if (!caller) return std::move(caller).error();
  caller_ = *std::move(caller);
  if (auto in = client::wait_for_all(*caller_, deadline); !in) return in;
  world_ = make_world_group(caller_);
  return {};
}

Result<void> Tunnel::fail(const std::string& reason, int exit_code) {
  return client::fail_job(*caller_, reason, exit_code, world_->resolve({}));
}

Result<void> Tunnel::leave(TimePoint deadline) {
  Result<void> left;
  run([&] { left = client::say_goodbye(*caller_, deadline); });
  auto closed = close(deadline);
  return left ? closed : left;
}

/// Ends this rank's side, and carries on until all have seen that, for a while.
Result<void> Tunnel::close(TimePoint deadline) {
  const TimePoint end = std::max(deadline, Clock::now() + drain_min);
  if (carrier_.joinable()) {
    carrier_.request_stop();
    pump_->wake();
    carrier_.join();
  }
  world_.reset();
  if (caller_) caller_->close(Error{.code = Code::invalid_state, .what = "a call after leave"});
  caller_.reset();
  if (pump_) pump_->stop_judge();
  const bool clean = pump_ && pump_->finish(end);
  return std::exchange(messages_, nullptr)->close(clean);
}

}  // namespace

Result<std::unique_ptr<Member>> join_tunnel(std::unique_ptr<Messages> messages, Carrier carrier,
                                            TimePoint deadline) {
  auto tunnel = std::make_unique<Tunnel>(std::move(messages), carrier);
  if (auto joined = tunnel->join(deadline); !joined) return std::move(joined).error();
  std::unique_ptr<Member> member = std::move(tunnel);
  return member;
}

}  // namespace muster::plugins
