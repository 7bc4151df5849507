#include "middleman.hpp"

#include <array>
#include <poll.h>
#include <sys/socket.h>

#include "net/address.hpp"
#include "net/connect.hpp"
#include "net/listen.hpp"
#include "net/wait.hpp"

namespace muster::security_test {
namespace {

using namespace std::chrono_literals;

TimePoint soon() {
  return Clock::now() + 60s;
}

/// The length of the first TLS record; all there is if that is none, 0 if it is not complete.
std::size_t first_record(Bytes bytes) {
  const auto at = [&](std::size_t place) { return std::to_integer<std::size_t>(bytes[place]); };
  if (bytes.size() < 3 || at(0) < 0x14 || at(0) > 0x17 || at(1) != 3) return bytes.size();
  if (bytes.size() < 5) return 0;
  const std::size_t length = 5 + (at(3) << 8U | at(4));
  return length <= bytes.size() ? length : 0;
}

void send_all(int fd, Bytes bytes) {
  while (!bytes.empty() && net::wait_ready(fd, POLLOUT, soon()) != 0) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

}  // namespace

Middleman::Middleman(const std::string& server_url, Meddle meddle)
    : server_url_(server_url),
      meddle_(std::move(meddle)),
      listener_(net::listen(net::Url::parse("tcp://127.0.0.1:0").value(), soon()).value()),
      url_(net::bound_url(listener_.get()).value().text()),
      thread_([this] { run(); }) {}

Middleman::~Middleman() {
  over_ = true;
  thread_.join();
  for (std::thread& each : connections_) each.join();
}

void Middleman::run() {
  while (!over_) {
    if (net::wait_ready(listener_.get(), POLLIN, Clock::now() + 10ms) == 0) continue;
    const int client = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) continue;
    connections_.emplace_back([this, client] { serve(net::Fd(client)); });
  }
}

void Middleman::serve(net::Fd client) {
  net::BackOff back_off(1);
  const auto server = net::connect(net::Url::parse(server_url_).value(), back_off, soon());
  if (!server) return;
  Value from_client, from_server;
  std::size_t client_records = 0, server_records = 0;
  while (!over_) {
    pollfd both[] = {{client.get(), POLLIN, 0}, {server->get(), POLLIN, 0}};
    if (!net::wait_any(both, Clock::now() + 10ms)) continue;
    const bool goes_on = (both[0].revents == 0 || pass(client.get(), server->get(), Way::to_server,
                                                       from_client, client_records)) &&
                         (both[1].revents == 0 || pass(server->get(), client.get(), Way::to_client,
                                                       from_server, server_records));
    if (!goes_on) return;
  }
}

bool Middleman::pass(int from, int to, Way way, Value& held, std::size_t& number) {
  std::array<std::byte, 32768> room;
  const ssize_t got = ::recv(from, room.data(), room.size(), MSG_DONTWAIT);
  if (got <= 0) return false;
  held.insert(held.end(), room.begin(), room.begin() + got);
  while (const std::size_t length = first_record(held)) {
    const auto end = held.begin() + static_cast<std::ptrdiff_t>(length);
    send_all(to, meddle_(way, number++, Value(held.begin(), end)));
    held.erase(held.begin(), end);
  }
  return true;
}

}  // namespace muster::security_test
