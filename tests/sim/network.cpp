#include "network.hpp"

namespace muster::sim {

Link* Network::connect(const Route& route, Receiver& receiver) {
  scheduler_.sleep(dice_.between(route.to_server.delay_min, route.to_server.delay_max));
  Link* link = nullptr;
  if (listener_ != nullptr && listener_->listening()) {
    links_.push_back(std::make_unique<Link>(scheduler_, dice_, route.to_client, route.to_server));
    link = links_.back().get();
    link->attach(Side::client, &receiver);
    listener_->accept(*link, "10.0.0.1:" + std::to_string(links_.size()));
  }
  scheduler_.sleep(dice_.between(route.to_client.delay_min, route.to_client.delay_max));
  return link;
}

void Network::heal_all() {
  for (const auto& link : links_) link->heal();
}

}  // namespace muster::sim
