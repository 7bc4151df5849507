#include "served.hpp"

#include <poll.h>
#include <unistd.h>

namespace muster::bench {

Pipe::Pipe() {
  if (pipe(ends) != 0) give_up("no pipe");
}

Pipe::~Pipe() {
  close(ends[0]), close(ends[1]);
}

Served::Served(Side& side, const Scale& scale, std::uint32_t size, bool pinned)
    : crew_(1, [&](std::uint32_t) {
        if (pinned) pin_to(0);
        side.serve(scale.transport, scale.folder, size, [&](const std::string& address) {
          if (write(pipe_.ends[1], address.data(), address.size()) < 0) give_up("no pipe");
        });
      }) {
  pollfd ready{.fd = pipe_.ends[0], .events = POLLIN, .revents = 0};
  char text[256];
  const ssize_t count = poll(&ready, 1, 10'000) == 1 ? read(pipe_.ends[0], text, 256) : 0;
  if (count <= 0) give_up("a server did not start");
  address_.assign(text, static_cast<std::size_t>(count));
}

}  // namespace muster::bench
