/// \file
/// The server's pure core behind simulated links: what the driver is in production.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "findings.hpp"
#include "network.hpp"
#include "plant.hpp"
#include "server/core/core.hpp"
#include "trace.hpp"
#include "watch.hpp"

namespace muster::sim {

/// Resource; one host thread. Invariants: `said twice`: the core says that the job has mustered, is
/// doomed, has ended, at most once each; `to nobody`: it sends nothing to a link that is gone;
/// `grows`: what it holds is bounded by its links, its groups and limits::tombstones_max;
/// `wrong subsets`: it holds the subsets that a member may still use, and no other.
class SimServer final : public Listener {
 public:
  struct Options {
    server::CoreOptions core;
    TimePoint start;          ///< until then connections are refused
    Duration lateness_max{};  ///< of a tick: the loop was busy
    Plant* plant = nullptr;
  };

  SimServer(Network& network, const Trace& trace, Findings& findings, Watch& watch,
            std::uint64_t seed, Options options);
  ~SimServer() override;

  bool listening() const override;
  void accept(Link& link, std::string address) override;

  void doom(Failure failure);
  /// Tells everyone, and closes all links once that is written.
  void stop();
  /// Its process stands still, as after SIGSTOP: what arrives waits in its sockets, connections
  /// wait to be accepted, and no timer runs.
  void pause();
  /// It goes on as its loop does: reads each link once, then looks at the time, then finds out
  /// which links have ended behind what it has read.
  void go_on();
  /// The process is gone; each rank is told after its own time.
  void crash(Duration noticed_after_max);

  bool gone() const { return gone_; }
  bool ended() const { return ended_; }
  const std::optional<Failure>& doomed() const { return doomed_; }
  const server::Core& core() const { return core_; }
  std::size_t links() const { return peers_.size(); }

 private:
  struct Peer;
  /// Something that waits until the server goes on.
  struct Held {
    server::LinkId link = 0;
    bool is_end = false;
    Value bytes;
    std::string text;  ///< the address of who came, or why a link ended
  };

  void happened(const server::Event& event);
  void perform(const server::Send& send);
  void perform(const server::Close& close);
  void perform(const server::Guard&) {}
  void perform(const server::Log& log);
  void perform(const server::Mustered&);
  void perform(const server::Doomed& doomed);
  void perform(const server::Ended&);

  void received(Peer& peer, Bytes bytes);
  void happens_now(const Held& held);
  void tick();
  void deliver(server::LinkId id, Bytes bytes);
  void falsify(Peer& peer, Bytes bytes);
  void send(server::LinkId id, Bytes bytes);
  void send_forged();
  void closed(Peer& peer, std::string_view why);
  void settle_timer();
  void check_subsets();

  Network& network_;
  Scheduler& scheduler_;
  const Trace& trace_;
  Findings& findings_;
  Watch& watch_;
  Dice dice_;
  Options options_;
  server::Core core_;
  server::Actions actions_;
  std::map<server::LinkId, std::shared_ptr<Peer>> peers_;
  server::LinkId last_link_ = 0;
  std::optional<TimePoint> timer_;
  bool mustered_ = false;
  bool ended_ = false;
  bool stopping_ = false;
  bool paused_ = false;
  std::vector<Held> held_;  ///< while paused_, in the order in which it came
  bool gone_ = false;
  std::optional<Failure> doomed_;
};

}  // namespace muster::sim
