// The floor: one thread on epoll, blocking clients, messages of the sizes that Muster's have, and
// nothing else. No names, no deadlines, no limits, no failures: what it does not do is the point.
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "client/core/caller.hpp"
#include "crew.hpp"
#include "hellos.hpp"
#include "side.hpp"
#include "sockets.hpp"
#include "wire/round_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster::bench {
namespace {

enum class What : std::uint32_t { get = 1, barrier = 2, allgather = 3, join = 4 };

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

class FloorServer {
 public:
  explicit FloorServer(std::uint32_t size)
      : size_(size),
        barrier_(message(What::barrier, answer_bytes(What::barrier, size))),
        allgather_(message(What::allgather, answer_bytes(What::allgather, size))),
        joined_(message(What::join, released_bytes())) {
    const Value answer = message(What::get, answer_bytes(What::get, size));
    for (std::size_t i = 0; i < in_flight_max; ++i) {
      gets_.insert(gets_.end(), answer.begin(), answer.end());
    }
  }

  [[noreturn]] void run(int listener) {
    poller_ = epoll_create1(EPOLL_CLOEXEC);
    watch(listener);
    std::array<epoll_event, 256> events;
    for (;;) {
      const int count = epoll_wait(poller_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener) {
          accept_all(listener);
        } else {
          read(fd);
        }
      }
    }
  }

 private:
  void accept_all(int listener) {
    for (;;) {
      const int peer = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (peer < 0 && errno == EAGAIN) return;
      if (peer < 0) give_up("floor: accept failed");
      no_delay(peer);
      peers_.push_back(peer);
      watch(peer);
    }
  }

  void watch(int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    epoll_ctl(poller_, EPOLL_CTL_ADD, fd, &event);
  }

  /// A client sends a few small messages of one kind and waits, so whole messages come.
  void read(int fd) {
    const ssize_t count = recv(fd, room_.data(), room_.size(), MSG_DONTWAIT);
    if (count <= 0) {
      epoll_ctl(poller_, EPOLL_CTL_DEL, fd, nullptr);
      return;
    }
    Head head;
    std::memcpy(&head, room_.data(), sizeof(head));
    const std::size_t messages = static_cast<std::size_t>(count) / head.bytes;
    if (messages * head.bytes != static_cast<std::size_t>(count)) {
      give_up("floor: a message came in parts");
    }
    if (head.what == What::get) {
      return send_all(fd, Bytes(gets_).first(messages * gets_.size() / in_flight_max));
    }
    if (++arrived_ < size_) return;
    arrived_ = 0;
    const Value& answer = head.what == What::barrier     ? barrier_
                          : head.what == What::allgather ? allgather_
                                                         : joined_;
    for (const int peer : peers_) send_all(peer, answer);
  }

  std::uint32_t size_;
  Value gets_, barrier_, allgather_, joined_;
  std::vector<int> peers_;
  std::uint32_t arrived_ = 0;
  int poller_ = -1;
  std::array<std::byte, 65536> room_;
};

class FloorPeer : public Peer {
 public:
  FloorPeer(int fd, std::uint32_t size)
      : fd_(fd), size_(size), room_(answer_bytes(What::allgather, size)) {
    for (const What what : {What::get, What::barrier, What::allgather}) {
      requests_.push_back(message(what, request_bytes(what)));
    }
  }
  ~FloorPeer() override { close(fd_); }

  void set() override {}
  void get() override { call(0); }
  void get_many(std::uint32_t count) override {
    for (std::uint32_t i = 0; i < count; ++i) send_all(fd_, requests_[0]);
    skip_bytes(fd_, count * answer_bytes(What::get, size_));
  }
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
  std::uint32_t size_;
  std::vector<Value> requests_;
  Value room_;
};

class Floor : public Side {
 public:
  const char* name() const override { return "floor"; }

  void serve(Transport transport, const std::string& folder, std::uint32_t size,
             const std::function<void(const std::string&)>& listening) override {
    const Listening at = listen_on(transport, folder);
    listening(at.address);
    FloorServer(size).run(at.fd);
  }

  std::unique_ptr<Peer> connect(const std::string& address, std::uint32_t,
                                std::uint32_t size) override {
    return std::make_unique<FloorPeer>(connect_to(address), size);
  }

  Value hello(std::uint32_t rank, std::uint32_t size) override {
    return message(What::join, muster_hello(rank, size).size());
  }
};

}  // namespace

std::unique_ptr<Side> make_floor() {
  return std::make_unique<Floor>();
}

}  // namespace muster::bench
