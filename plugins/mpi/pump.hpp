/// \file
/// Carries the bytes of links in messages: a server and its clients, which know sockets, work over
/// anything that has messages.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "mpi/messages.hpp"
#include "net/fd.hpp"

namespace muster::plugins {

/// Resource; one thread at a time, but for wake(). Between two ranks there is one link, of which
/// each has one end: what is written into the other end of its socket is sent, and what arrives can
/// be read there. An empty message is the end of a side.
class Pump {
 public:
  /// `accept` makes the socket of a link that another rank begins; it is non-blocking.
  using Accept = std::function<Result<net::Fd>()>;
  static Result<std::unique_ptr<Pump>> make(Messages& messages, Accept accept);
  Pump(Messages& messages, Accept accept, net::Fd wake);

  /// A link that this rank begins. `socket` is non-blocking.
  void connect(std::uint32_t to, net::Fd socket);

  /// Moves what can be moved; sleeps first, if there was nothing to do lately: until a socket is
  /// ready, wake() is called, `until` comes, or it is time to look for messages again. MPI can't be
  /// slept on: the pauses grow with the time that nothing has come, from 50 us to 10 ms.
  void step(TimePoint until);
  /// Ends the sleep of the step() that is going on, or of the next one. Any thread.
  void wake() const;

  /// Whether every link that there was has ended on both sides, and all has been sent.
  bool idle();

 private:
  struct Link {
    net::Fd socket;
    Value unwritten;           ///< has arrived, and the socket has not taken it yet
    bool local_ended = false;  ///< and the other rank was told
    bool remote_ended = false;
  };

  TimePoint sleep_until(TimePoint until) const;
  bool wait(TimePoint until);
  bool take_messages();
  void arrived(Link& link, Bytes bytes);
  bool read(std::uint32_t to, Link& link);
  void write(Link& link);
  void end_local(std::uint32_t to, Link& link);

  Messages& messages_;
  Accept accept_;
  net::Fd wake_;
  std::map<std::uint32_t, Link> links_;
  TimePoint last_moved_ = Clock::now();
  Value buffer_;
};

}  // namespace muster::plugins
