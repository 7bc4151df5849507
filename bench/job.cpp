// Muster's side: its server, and ranks that use the public API.
#include <string>
#include <unistd.h>
#include <utility>

#include <muster/job.hpp>

#include "crew.hpp"
#include "net/url.hpp"
#include "server/driver/server.hpp"
#include "side.hpp"

namespace muster::bench {
namespace {

using namespace std::chrono_literals;

template <class T>
T good(Result<T> result) {
  if (!result) give_up("muster: " + result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

class MusterPeer : public Peer {
 public:
  explicit MusterPeer(Job job) : job_(std::move(job)) {}

  void set() override { good(job_.store().set("bench/key", payload())); }
  void get() override { good(job_.store().get("bench/key")); }
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
  std::string payload_ = std::string(payload_bytes, 'p');
};

class Muster : public Side {
 public:
  const char* name() const override { return "muster"; }

  void serve(Transport transport, const std::string& folder, std::uint32_t size,
             const std::function<void(const std::string&)>& listening) override {
    server::ServeOptions options;
    options.url =
        good(net::Url::parse(transport == Transport::tcp ? std::string("tcp://127.0.0.1:0")
                                                         : "unix://" + folder + "/muster"));
    options.core.job = "bench";
    options.core.incarnation = Incarnation::random();
    options.core.epoch = Epoch::random();
    options.core.size = size;
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
    return std::make_unique<MusterPeer>(good(Job::join(std::move(options))));
  }
};

}  // namespace

std::unique_ptr<Side> make_muster() {
  return std::make_unique<Muster>();
}

}  // namespace muster::bench
