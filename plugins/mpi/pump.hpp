/// \file
/// Carries the bytes of links in messages: the client of each rank, which knows sockets, and on
/// rank 0 the judge of all.
#pragma once

#include <memory>
#include <optional>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "mpi/judge.hpp"
#include "mpi/messages.hpp"
#include "net/fd.hpp"

namespace muster::plugins {

/// Resource; one thread at a time, but for wake(). What is written into the other end of the socket
/// is heard by rank 0's judge, and what that says can be read there. An empty message is the end of
/// a side.
class Pump {
 public:
  /// `socket` is non-blocking.
  static Result<std::unique_ptr<Pump>> make(Messages& messages, net::Fd socket);
  Pump(Messages& messages, net::Fd socket, net::Fd wake);

  /// Moves what can be moved; sleeps first, if there was nothing to do lately: until the socket is
  /// ready, wake() is called, the judge is due, or it is time to look for messages again. Messages
  /// can't be slept on: the pauses grow with the time that nothing has come, from 50 us to 10 ms.
  void step();
  /// Ends the sleep of the step() that is going on, or of the next one. Any thread.
  void wake() const;
  /// Moves what is there, until all that this side had to say is on its way, or until `end`.
  void flush(TimePoint end);
  /// Rank 0's judge goes; nothing elsewhere.
  void stop_judge();
  /// Moves until both sides of every link have ended and all has arrived, or until `end`; which of
  /// these it was.
  bool finish(TimePoint end);

 private:
  bool move();
  bool take_messages();
  bool say_waiting();
  bool read_socket();
  bool write_socket();
  void arrived(Bytes bytes);
  void say(Bytes bytes);
  void break_off();
  bool all_said();
  bool over();
  void wait(TimePoint until);

  Messages& messages_;
  std::optional<Judge> judge_;  ///< on rank 0
  net::Fd socket_;
  net::Fd wake_;
  Value unwritten_;            ///< has arrived, and the socket has not taken it yet
  bool local_ended_ = false;   ///< the socket's other end is closed, and rank 0 was told
  bool remote_ended_ = false;  ///< the judge has ended this rank's link
  TimePoint last_moved_ = Clock::now();
  Value buffer_;
};

}  // namespace muster::plugins
