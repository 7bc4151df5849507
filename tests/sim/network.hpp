/// \file
/// The links of one simulated run, and the one address that somebody may serve.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "link.hpp"
#include "scheduler.hpp"

namespace muster::sim {

/// What listens at the address.
class Listener {
 public:
  virtual ~Listener() = default;
  /// False: connections are refused.
  virtual bool listening() const = 0;
  /// Attaches itself to the link's server side.
  virtual void accept(Link& link, std::string address) = 0;
};

/// Value. Both directions of a link.
struct Route {
  Weather to_client;
  Weather to_server;
};

/// Resource; one host thread. Keeps every link until its own end, so that late events find it.
class Network {
 public:
  Network(Scheduler& scheduler, std::uint64_t seed) : scheduler_(scheduler), dice_(seed) {}

  void serve(Listener& listener) { listener_ = &listener; }

  /// One attempt, from within a thread: a round trip later the link is up and accepted, or it was
  /// refused (null).
  Link* connect(const Route& route, Receiver& receiver);

  void heal_all();

  Scheduler& scheduler() { return scheduler_; }
  Dice& dice() { return dice_; }

 private:
  Scheduler& scheduler_;
  Dice dice_;
  Listener* listener_ = nullptr;
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace muster::sim
