#include "herd.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hellos.hpp"
#include "sockets.hpp"

namespace muster::bench {
namespace {

/// Reset, not closed in order: thousands of ports are not to stay taken for a minute.
void drop(const std::vector<int>& sockets) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  for (const int fd : sockets) {
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(fd);
  }
}

}  // namespace

Herd::~Herd() {
  drop(mute_), drop(ranks_);
}

void Herd::connect(const Served& server, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) mute_.push_back(connect_to(server.address()));
}

void Herd::join(Side& side, const Served& server, std::uint32_t size) {
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    ranks_.push_back(connect_to(server.address()));
    send_all(ranks_.back(), side.hello(rank, size));
  }
}

void Herd::until_released() {
  for (const int fd : ranks_) skip_bytes(fd, released_bytes());
}

void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace muster::bench
