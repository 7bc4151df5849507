/// \file
/// System functions that fail when they are told to. Linked into a program, faults.cpp takes the
/// place of the C library's functions, for every library in the process.
#pragma once

#include <string>
#include <string_view>

namespace muster::nth {

enum class Call {
  none,
  socket,
  bind,
  listen,
  accept4,
  connect,
  recv,
  read,
  send,
  sendmsg,
  write,
  epoll_create1,
  epoll_ctl,
  epoll_wait,
  eventfd,
  pipe2,
  open,
  socketpair,
  getaddrinfo,
  setsockopt,
  getsockname,
  pthread_create,
};

/// Value. What goes wrong. For getaddrinfo it is an EAI_ number, for the rest errno's.
struct Fault {
  Call call = Call::none;
  int error = 0;
  /// What the other end may be told instead of the reason, where only one end knows that.
  std::string_view other_end = {};
};

/// The `nth` call from now on, by any thread, fails; the ones before and after it do not.
void arm(const Fault& fault, int nth);
/// No more faults; whether there was one.
bool disarm();

/// What an error's text should say.
std::string reason(const Fault& fault);

}  // namespace muster::nth
