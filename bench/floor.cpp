// The floor: one thread on epoll, blocking clients, messages of the sizes that Muster's have, and
// nothing else. No names, no deadlines, no limits, no failures: what it does not do is the point.
#include <array>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "client/core/caller.hpp"
#include "crew.hpp"
#include "side.hpp"
#include "wire/round_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster::bench {
namespace {

enum class What : std::uint32_t { get = 1, barrier = 2, allgather = 3 };

/// Every message starts with it; `bytes` counts all.
struct Head {
  std::uint32_t bytes;
  What what;
};

std::size_t request_bytes(What what) {
  const std::string payload(payload_bytes, 'p');
  if (what == What::get) {
    return client::frame(wire::Type::get, wire::GetRequest{.key = "bench/key"}).size();
  }
  wire::Arrive arrive{.kind = what == What::barrier ? Kind::barrier : Kind::allgather,
                      .label = "bench",
                      .parts = {}};
  arrive.parts.push_back({0, as_bytes(what == What::barrier ? "" : payload)});
  return client::frame(wire::Type::arrive, arrive).size();
}

std::size_t answer_bytes(What what, std::uint32_t size) {
  if (what == What::get) return wire::header_bytes + payload_bytes;
  const std::string payload(payload_bytes, 'p');
  const std::vector<Bytes> parts(what == What::barrier ? 0 : size, as_bytes(payload));
  Value body;
  wire::encode_verdict(parts, body);
  return wire::header_bytes + body.size();
}

Value message(What what, std::size_t bytes) {
  Value whole(bytes);
  const Head head{static_cast<std::uint32_t>(bytes), what};
  std::memcpy(whole.data(), &head, sizeof(head));
  return whole;
}

void send_all(int fd, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) give_up("floor: send failed");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

sockaddr_un at_path(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) give_up("floor: the socket's path is too long");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

template <class Address>
const sockaddr* plain(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

void no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

class FloorServer {
 public:
  explicit FloorServer(std::uint32_t size)
      : size_(size),
        get_(message(What::get, answer_bytes(What::get, size))),
        barrier_(message(What::barrier, answer_bytes(What::barrier, size))),
        allgather_(message(What::allgather, answer_bytes(What::allgather, size))) {}

  [[noreturn]] void run(int listener) {
    poller_ = epoll_create1(EPOLL_CLOEXEC);
    watch(listener);
    std::array<epoll_event, 256> events;
    for (;;) {
      const int count = epoll_wait(poller_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener) {
          const int peer = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
          if (peer < 0) give_up("floor: accept failed");
          no_delay(peer);
          peers_.push_back(peer);
          watch(peer);
        } else {
          read(fd);
        }
      }
    }
  }

 private:
  void watch(int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    epoll_ctl(poller_, EPOLL_CTL_ADD, fd, &event);
  }

  /// A client sends one message and waits, so whole messages come.
  void read(int fd) {
    const ssize_t count = recv(fd, room_.data(), room_.size(), MSG_DONTWAIT);
    if (count <= 0) {
      epoll_ctl(poller_, EPOLL_CTL_DEL, fd, nullptr);
      return;
    }
    Head head;
    std::memcpy(&head, room_.data(), sizeof(head));
    if (head.bytes != static_cast<std::size_t>(count)) give_up("floor: a message came in parts");
    if (head.what == What::get) return send_all(fd, get_);
    if (++arrived_ < size_) return;
    arrived_ = 0;
    for (const int peer : peers_)
      send_all(peer, head.what == What::barrier ? barrier_ : allgather_);
  }

  std::uint32_t size_;
  Value get_, barrier_, allgather_;
  std::vector<int> peers_;
  std::uint32_t arrived_ = 0;
  int poller_ = -1;
  std::array<std::byte, 65536> room_;
};

class FloorPeer : public Peer {
 public:
  FloorPeer(int fd, std::uint32_t size) : fd_(fd), room_(answer_bytes(What::allgather, size)) {
    for (const What what : {What::get, What::barrier, What::allgather}) {
      requests_.push_back(message(what, request_bytes(what)));
    }
  }
  ~FloorPeer() override { close(fd_); }

  void set() override {}
  void get() override { call(0); }
  void barrier() override { call(1); }
  void allgather() override { call(2); }
  void barrier_until_loss() override { give_up("the floor knows no loss"); }
  void leave() override { give_up("the floor knows no leaving"); }

 private:
  void call(std::size_t request) {
    send_all(fd_, requests_[request]);
    std::size_t have = 0;
    Head head{sizeof(Head), What::get};
    while (have < head.bytes) {
      const ssize_t count = recv(fd_, room_.data() + have, room_.size() - have, 0);
      if (count <= 0) give_up("floor: the server is gone");
      have += static_cast<std::size_t>(count);
      if (have >= sizeof(head)) std::memcpy(&head, room_.data(), sizeof(head));
    }
  }

  int fd_;
  std::vector<Value> requests_;
  Value room_;
};

class Floor : public Side {
 public:
  const char* name() const override { return "floor"; }

  void serve(Transport transport, const std::string& folder, std::uint32_t size,
             const std::function<void(const std::string&)>& listening) override {
    const bool tcp = transport == Transport::tcp;
    const int listener = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const std::string path = folder + "/floor";
    const sockaddr_in any_port = loopback(0);
    const sockaddr_un file = at_path(path);
    unlink(path.c_str());
    const int bound = tcp ? bind(listener, plain(any_port), sizeof(any_port))
                          : bind(listener, plain(file), sizeof(file));
    if (bound != 0 || listen(listener, 4096) != 0) give_up("floor: nothing to listen on");
    sockaddr_in got{};
    socklen_t length = sizeof(got);
    if (tcp) getsockname(listener, reinterpret_cast<sockaddr*>(&got), &length);
    listening(tcp ? std::to_string(ntohs(got.sin_port)) : path);
    FloorServer(size).run(listener);
  }

  std::unique_ptr<Peer> connect(const std::string& address, std::uint32_t,
                                std::uint32_t size) override {
    const bool tcp = address.front() != '/';
    const int fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in port = loopback(tcp ? static_cast<std::uint16_t>(std::stoi(address)) : 0);
    const sockaddr_un file = at_path(tcp ? "" : address);
    const int connected =
        tcp ? ::connect(fd, plain(port), sizeof(port)) : ::connect(fd, plain(file), sizeof(file));
    if (connected != 0) give_up("floor: no connection");
    no_delay(fd);
    return std::make_unique<FloorPeer>(fd, size);
  }
};

}  // namespace

std::unique_ptr<Side> make_floor() {
  return std::make_unique<Floor>();
}

}  // namespace muster::bench
