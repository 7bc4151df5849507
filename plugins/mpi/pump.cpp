#include "mpi/pump.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/limits.hpp"
#include "net/wait.hpp"

namespace muster::plugins {
namespace {

using namespace std::chrono_literals;

constexpr Duration pause_min = 50us;
constexpr Duration pause_max = 10ms;
/// So many messages to one rank are on their way at most: what is more waits in the socket, where
/// the server sees that a peer doesn't read.
constexpr std::size_t unsent_max = 8;
/// So many messages are taken in before sockets are looked at again.
constexpr int taken_a_step_max = 64;

}  // namespace

Result<std::unique_ptr<Pump>> Pump::make(Messages& messages, Accept accept) {
  net::Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) {
    return Error{.code = Code::system, .what = "no eventfd: " + net::reason(errno)};
  }
  return std::make_unique<Pump>(messages, std::move(accept), std::move(wake));
}

Pump::Pump(Messages& messages, Accept accept, net::Fd wake)
    : messages_(messages),
      accept_(std::move(accept)),
      wake_(std::move(wake)),
      buffer_(message_bytes_max) {}

void Pump::connect(std::uint32_t to, net::Fd socket) {
  links_[to].socket = std::move(socket);
}

void Pump::wake() const {
  ::eventfd_write(wake_.get(), 1);
}

/// As long as nothing has come is as long, by a small part of it, as nothing may come.
TimePoint Pump::sleep_until(TimePoint until) const {
  const TimePoint now = Clock::now();
  const Duration pause = std::clamp((now - last_moved_) / 8, pause_min, pause_max);
  return std::min(until, now + pause);
}

void Pump::step(TimePoint until) {
  if (messages_.broken()) {
    for (auto& [to, link] : links_) link = {.local_ended = true, .remote_ended = true};
  }
  const bool took = take_messages();
  // What has been read may have been answered at once: look without sleeping first.
  const bool moved = wait(took ? TimePoint{} : sleep_until(until));
  if (took || moved) last_moved_ = Clock::now();
}

bool Pump::take_messages() {
  int taken = 0;
  while (taken < taken_a_step_max) {
    const auto message = messages_.receive();
    if (!message) break;
    ++taken;
    auto found = links_.find(message->from);
    if (found == links_.end()) {
      auto socket = accept_();
      // Nobody to take it: for the other side that is a link that ends at once.
      found = links_.emplace(message->from, Link{}).first;
      if (socket) found->second.socket = *std::move(socket);
    }
    arrived(found->second, message->bytes);
  }
  return taken > 0;
}

void Pump::arrived(Link& link, Bytes bytes) {
  if (bytes.empty()) {
    link.remote_ended = true;
  } else if (link.socket) {
    link.unwritten.insert(link.unwritten.end(), bytes.begin(), bytes.end());
  }
  write(link);
}

/// True if any socket had something to say, or could be written to again.
bool Pump::wait(TimePoint until) {
  std::vector<pollfd> all{{wake_.get(), POLLIN, 0}};
  std::vector<std::uint32_t> ranks{messages_.rank()};
  for (auto& [to, link] : links_) {
    if (!link.socket) {
      if (!link.local_ended) end_local(to, link);
      continue;
    }
    const bool room = messages_.unsent(to) < unsent_max;
    const int events =
        (room && !link.local_ended ? POLLIN : 0) | (link.unwritten.empty() ? 0 : POLLOUT);
    if (events == 0) continue;
    all.push_back({link.socket.get(), static_cast<short>(events), 0});
    ranks.push_back(to);
  }
  if (!net::wait_any(all, until)) return false;
  eventfd_t count = 0;
  if (all[0].revents != 0) ::eventfd_read(wake_.get(), &count);
  bool moved = false;
  for (std::size_t i = 1; i < all.size(); ++i) {
    Link& link = links_.at(ranks[i]);
    if ((all[i].revents & POLLOUT) != 0) write(link), moved = true;
    if ((all[i].revents & ~POLLOUT) != 0 && link.socket) moved = read(ranks[i], link) || moved;
  }
  return moved;
}

bool Pump::read(std::uint32_t to, Link& link) {
  if (link.local_ended) return false;
  const ssize_t got = ::recv(link.socket.get(), buffer_.data(), buffer_.size(), 0);
  if (got > 0) {
    messages_.send(to, Bytes(buffer_).first(static_cast<std::size_t>(got)));
    return true;
  }
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
  end_local(to, link);
  return true;
}

/// The socket's other end is closed: the other rank is told, and what it still says is dropped.
void Pump::end_local(std::uint32_t to, Link& link) {
  link.local_ended = true;
  link.socket.reset();
  link.unwritten.clear();
  messages_.send(to, {});
}

void Pump::write(Link& link) {
  if (!link.socket) return;
  std::size_t written = 0;
  while (written < link.unwritten.size()) {
    const Bytes rest = Bytes(link.unwritten).subspan(written);
    const ssize_t put = ::send(link.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (put <= 0) break;  // full, or its other end is closed, which read() will see
    written += static_cast<std::size_t>(put);
  }
  link.unwritten.erase(link.unwritten.begin(),
                       link.unwritten.begin() + static_cast<std::ptrdiff_t>(written));
  const bool deaf = link.unwritten.size() > limits::unsent_bytes_max;
  if (deaf || (link.remote_ended && link.unwritten.empty())) {
    ::shutdown(link.socket.get(), deaf ? SHUT_RDWR : SHUT_WR);
  }
}

bool Pump::idle() {
  for (auto& [to, link] : links_) {
    const bool ended = link.local_ended && link.remote_ended;
    if (!messages_.broken() && (!ended || messages_.unsent(to) > 0)) return false;
  }
  return true;
}

}  // namespace muster::plugins
