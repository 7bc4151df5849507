#include "nth/faults.hpp"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/wait.hpp"

namespace muster::nth {
namespace {

std::atomic<Call> armed{Call::none};
std::atomic<int> fails_with{0};
std::atomic<int> calls_left{0};
std::atomic<bool> reached{false};

/// Whether this very call is the one; errno is set then.
bool fails(Call call) {
  if (armed.load() != call || calls_left.fetch_sub(1) != 1) return false;
  reached = true;
  errno = fails_with;
  return true;
}

/// The next function of that name: the C library's.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Once libuv or the watcher has been allowed to watch a descriptor, watching it again cannot fail,
/// and libuv ends the process if it does: only the first attempt is made to fail. That is libuv's
/// trial (it marks it so), and of the watcher a one-shot, or its bell.
bool is_first_attempt(int operation, const epoll_event* event) {
  if (operation != EPOLL_CTL_ADD || event == nullptr) return false;
  return event->data.fd == -1 || (event->events & EPOLLONESHOT) != 0 || event->data.u64 == 0;
}

}  // namespace

void arm(const Fault& fault, int nth) {
  fails_with = fault.error;
  calls_left = nth;
  reached = false;
  armed = fault.call;
}

bool disarm() {
  armed = Call::none;
  return reached;
}

std::string reason(const Fault& fault) {
  if (fault.call == Call::getaddrinfo) return ::gai_strerror(fault.error);
  return net::reason(fault.error);
}

}  // namespace muster::nth

using muster::nth::Call;
using muster::nth::fails;
using muster::nth::next;

// Each: fail, or what the C library does.
#define MUSTER_FAILING(result, name, parameters, ...)          \
  result name parameters {                                     \
    static const auto real = next(&::name, #name);             \
    return fails(Call::name) ? result{-1} : real(__VA_ARGS__); \
  }

// Seen by the libraries, too.
#pragma GCC visibility push(default)
extern "C" {

MUSTER_FAILING(int, socket, (int domain, int type, int protocol), domain, type, protocol)
MUSTER_FAILING(int, bind, (int fd, const sockaddr* address, socklen_t size), fd, address, size)
MUSTER_FAILING(int, listen, (int fd, int backlog), fd, backlog)
MUSTER_FAILING(int, accept4, (int fd, sockaddr* address, socklen_t* size, int flags), fd, address,
               size, flags)
MUSTER_FAILING(int, connect, (int fd, const sockaddr* address, socklen_t size), fd, address, size)
MUSTER_FAILING(ssize_t, recv, (int fd, void* to, size_t size, int flags), fd, to, size, flags)
MUSTER_FAILING(ssize_t, read, (int fd, void* to, size_t size), fd, to, size)
MUSTER_FAILING(ssize_t, send, (int fd, const void* from, size_t size, int flags), fd, from, size,
               flags)
MUSTER_FAILING(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), fd, message, flags)
MUSTER_FAILING(ssize_t, write, (int fd, const void* from, size_t size), fd, from, size)
MUSTER_FAILING(int, epoll_create1, (int flags) noexcept, flags)
MUSTER_FAILING(int, epoll_wait, (int fd, epoll_event* events, int most, int timeout), fd, events,
               most, timeout)
MUSTER_FAILING(int, eventfd, (unsigned start, int flags) noexcept, start, flags)
MUSTER_FAILING(int, pipe2, (int ends[2], int flags) noexcept, ends, flags)
MUSTER_FAILING(int, socketpair, (int domain, int type, int protocol, int ends[2]) noexcept, domain,
               type, protocol, ends)
MUSTER_FAILING(int, setsockopt,
               (int fd, int level, int name, const void* value, socklen_t size) noexcept, fd, level,
               name, value, size)
MUSTER_FAILING(int, getsockname, (int fd, sockaddr* address, socklen_t* size) noexcept, fd, address,
               size)

int epoll_ctl(int fd, int operation, int watched, epoll_event* event) noexcept {
  static const auto real = next(&::epoll_ctl, "epoll_ctl");
  if (muster::nth::is_first_attempt(operation, event) && fails(Call::epoll_ctl)) return -1;
  return real(fd, operation, watched, event);
}

int open(const char* path, int flags, ...) {
  static const auto real = next(&::open, "open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(Call::open) ? -1 : real(path, flags, mode);
}

int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto real = next(&::getaddrinfo, "getaddrinfo");
  return fails(Call::getaddrinfo) ? muster::nth::fails_with.load()
                                  : real(node, service, hints, found);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  static const auto real = next(&::pthread_create, "pthread_create");
  return fails(Call::pthread_create) ? muster::nth::fails_with.load()
                                     : real(thread, attributes, body, argument);
}

}  // extern "C"
#pragma GCC visibility pop
