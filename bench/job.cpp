// Muster's side: its server, and ranks that use the public API.
#include <array>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <muster/job.hpp>

#include "base/limits.hpp"
#include "client/driver/link.hpp"
#include "crew.hpp"
#include "hellos.hpp"
#include "job/protect.hpp"
#include "net/url.hpp"
#include "protection.hpp"
#include "server/driver/server.hpp"
#include "side.hpp"
#include "wire/store_messages.hpp"

namespace muster::bench {
namespace {

using namespace std::chrono_literals;

template <class T>
T good(Result<T> result) {
  if (!result) give_up("muster: " + result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

std::shared_ptr<client::Caller> tool_link(const std::string& address, Protection protection) {
  client::LinkOptions options;
  good(protect(options, credentials(protection)));
  options.hello.role = wire::Role::tool;
  return good(client::connect_link(good(net::Url::parse(address)), std::move(options),
                                   muster::Clock::now() + 60s));
}

class MusterPeer : public Peer {
 public:
  MusterPeer(Job job, std::string address, Protection protection)
      : job_(std::move(job)), address_(std::move(address)), protection_(protection) {}

  void set() override { good(job_.store().set("bench/key", payload())); }
  void get() override { good(job_.store().get("bench/key")); }
  /// On a link of its own, made at the first call: a Store asks one thing at a time.
  void get_many(std::uint32_t count) override {
    if (!link_) link_ = tool_link(address_, protection_);
    std::array<client::Ticket, in_flight_max> tickets;
    const TimePoint deadline = muster::Clock::now() + 30s;
    for (std::uint32_t i = 0; i < count; ++i) {
      const wire::GetRequest request{.key = "bench/key", .wait_ms = 30'000};
      tickets[i] = good(link_->start(client::frame(wire::Type::get, request)));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      good(client::open_reply(good(link_->wait(tickets[i], deadline)), wire::Type::get));
    }
  }
  void barrier() override { good(job_.world().barrier("bench")); }
  void allgather() override { good(job_.world().allgather(payload(), "bench")); }

  void barrier_until_loss() override {
    const Result<void> ended = job_.world().barrier("bench");
    if (ended) give_up("muster: a barrier passed without a rank that was killed");
    if (ended.error().code != Code::rank_lost) give_up("muster: " + ended.error().text());
  }

  void leave() override { good(job_.leave(Deadline::in(30s))); }

 private:
  Bytes payload() const { return as_bytes(payload_); }

  Job job_;
  std::string address_;
  Protection protection_;
  std::shared_ptr<client::Caller> link_;
  std::string payload_ = std::string(payload_bytes, 'p');
};

class Muster : public Side {
 public:
  Muster(Duration heartbeat, Protection protection)
      : heartbeat_(heartbeat), protection_(protection) {}
  const char* name() const override { return "muster"; }
  Protection protection() const override { return protection_; }

  void serve(Transport transport, const std::string& folder, std::uint32_t size,
             const std::function<void(const std::string&)>& listening) override {
    server::ServeOptions options;
    options.url =
        good(net::Url::parse(transport == Transport::tcp ? std::string("tcp://127.0.0.1:0")
                                                         : "unix://" + folder + "/muster"));
    options.core.job = job_name;
    options.core.incarnation = Incarnation::random();
    options.core.epoch = Epoch::random();
    options.core.size = size;
    options.core.heartbeat = heartbeat_;
    good(protect(options, credentials(protection_)));
    const std::unique_ptr<server::Server> server = good(server::Server::start(std::move(options)));
    listening(server->url());
    for (;;) pause();
  }

  std::unique_ptr<Peer> connect(const std::string& address, std::uint32_t rank,
                                std::uint32_t size) override {
    JoinOptions options;
    options.url = address;
    options.rank = rank;
    options.size = size;
    options.serve = Serve::external;
    options.join_timeout = 60s;
    options.credentials = credentials(protection_);
    return std::make_unique<MusterPeer>(good(Job::join(std::move(options))), address, protection_);
  }

  Value hello(std::uint32_t rank, std::uint32_t size) override { return muster_hello(rank, size); }

 private:
  const Duration heartbeat_;
  const Protection protection_;
};

}  // namespace

std::unique_ptr<Side> make_muster() {
  return std::make_unique<Muster>(limits::heartbeat, Protection::none);
}

std::unique_ptr<Side> make_still_muster() {
  return std::make_unique<Muster>(Duration::zero(), Protection::none);
}

std::unique_ptr<Side> make_muster_with_secret() {
  return std::make_unique<Muster>(limits::heartbeat, Protection::secret);
}

std::unique_ptr<Side> make_muster_over_tls() {
  return std::make_unique<Muster>(limits::heartbeat, Protection::tls);
}

}  // namespace muster::bench
