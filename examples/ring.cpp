// What Muster is for: ranks that talk to each other by themselves find each other through it.
// Each opens a socket, publishes its address, and passes a block of data around the ring.
//
//   muster run -n 4 -- ring
#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <muster/muster.hpp>

namespace {

constexpr std::size_t block_bytes = 1U << 20;

[[noreturn]] void give_up(const char* what, const char* why) {
  std::fprintf(stderr, "ring: %s: %s\n", what, why);
  std::exit(1);
}

int check(int result, const char* what) {
  if (result < 0) give_up(what, std::strerror(errno));
  return result;
}

/// A socket that listens on a port of the system's choice, and where.
int open_listener(sockaddr_in& address) {
  address = {.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof(address);
  const int listener = check(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  check(::bind(listener, reinterpret_cast<sockaddr*>(&address), length), "bind");
  check(::listen(listener, 1), "listen");
  check(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), "getsockname");
  return listener;
}

int connect_to(muster::Bytes published) {
  sockaddr_in address{};
  std::memcpy(&address, published.data(), sizeof(address));
  const int link = check(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  check(::connect(link, reinterpret_cast<sockaddr*>(&address), sizeof(address)), "connect");
  return link;
}

void send_all(int link, const muster::Value& block) {
  for (std::size_t done = 0; done < block.size();) {
    done += static_cast<std::size_t>(check(
        static_cast<int>(::send(link, &block[done], block.size() - done, MSG_NOSIGNAL)), "send"));
  }
}

muster::Value receive_all(int link) {
  muster::Value block(block_bytes);
  for (std::size_t done = 0; done < block.size();) {
    const int got =
        check(static_cast<int>(::recv(link, &block[done], block.size() - done, 0)), "receive");
    if (got == 0) give_up("receive", "the neighbour has gone");
    done += static_cast<std::size_t>(got);
  }
  return block;
}

int ring() {
  auto job = muster::Job::join(muster::JoinOptions::from_environment().value()).value();
  const std::uint32_t rank = job.rank();

  sockaddr_in own{};
  const int listener = open_listener(own);
  const auto addresses =
      job.world().allgather(std::as_bytes(std::span(&own, 1)), "addresses").value();
  const int next = connect_to(addresses[(rank + 1) % job.size()]);
  const int previous = check(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), "accept");

  // Rank 0 fills the block. After size steps each has passed it on once and rank 0 has it again.
  muster::Value block(block_bytes);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>(i * i >> 4U);
  const std::string expected = muster::to_hex(muster::sha256(block));
  if (rank == 0) {
    // A block is more than the sockets hold, so that sending and receiving must overlap.
    std::thread sender([&] { send_all(next, block); });
    muster::Value returned = receive_all(previous);
    sender.join();
    block = std::move(returned);
  } else {
    block = receive_all(previous);
    send_all(next, block);
  }
  const bool same = muster::to_hex(muster::sha256(block)) == expected;
  std::printf("rank %u: %zu bytes from rank %u, %s\n", rank, block.size(),
              (rank + job.size() - 1) % job.size(), same ? "unharmed" : "DAMAGED");
  if (!same) return 1;

  job.world().barrier("block is round").value();
  job.leave().value();
  return 0;
}

}  // namespace

int main() {
  try {
    return ring();
  } catch (const muster::Failed& failure) {
    std::fprintf(stderr, "ring: %s\n", failure.what());
    return failure.error().exit_code;
  }
}
