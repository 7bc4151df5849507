#include "net/listen.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/address.hpp"
#include "net/back_off.hpp"
#include "net/interfaces.hpp"
#include "net/resolve.hpp"
#include "net/wait.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;

/// A server that has just ended may still be closing.
constexpr auto address_in_use_patience = 500ms;

std::string advice_for(int error, const Url& url) {
  switch (error) {
    case EADDRINUSE:
      return "end the process that listens there, or take another address; port 0 picks a free one";
    case EADDRNOTAVAIL:
      return "it is none of this host's addresses: " + interfaces_text(interfaces());
    case EACCES:
    case EPERM:
      return url.scheme == Url::Scheme::unix_socket ? "this user may not create that file"
                                                    : "ports below 1024 need a privilege";
    case ENOENT:
    case ENOTDIR:
      return "create the directory first";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    default:
      return {};
  }
}

Error cannot_listen(const Url& url, int error, const std::string& why = {}) {
  return Error{
      .code = Code::system,
      .phase = Phase::local,
      .what = fmt::format("cannot listen on {}: {}", url.text(), why.empty() ? reason(error) : why),
      .advice = advice_for(error, url)};
}

Error none_free(Url url, PortRange ports, int error) {
  url.port = 0;
  Error none = cannot_listen(url, error);
  none.what = fmt::format("cannot listen on {} at any port from {} to {}: {}", url.text(),
                          ports.first, ports.last, reason(error));
  if (error == EADDRINUSE) none.advice = "end what listens there, or allow more ports";
  return none;
}

Fd new_socket(int family) {
  return Fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

/// Sets errno on failure.
bool switch_on(const Fd& fd, int level, int option) {
  const int on = 1;
  return ::setsockopt(fd.get(), level, option, &on, sizeof on) == 0;
}

/// A listening socket, or none and errno set.
Fd bind_and_listen(const Address& address) {
  Fd fd = new_socket(address.family());
  if (!fd) return fd;
  const bool tcp = address.family() != AF_UNIX;
  if (tcp && !switch_on(fd, SOL_SOCKET, SO_REUSEADDR)) return {};
  if (address.family() == AF_INET6 && !switch_on(fd, IPPROTO_IPV6, IPV6_V6ONLY)) return {};
  if (::bind(fd.get(), address.get(), address.length) != 0) return {};
  if (::listen(fd.get(), SOMAXCONN) != 0) {
    const int error = errno;
    if (!tcp) ::unlink(reinterpret_cast<const sockaddr_un*>(address.get())->sun_path);
    errno = error;
    return {};
  }
  return fd;
}

/// A listening socket at the last port that can be had; or none, and errno set.
Fd bind_last_free(Address address, PortRange ports) {
  for (std::uint16_t port = ports.last;; --port) {
    address.set_port(port);
    Fd fd = bind_and_listen(address);
    if (fd || port == ports.first) return fd;
    const bool only_this_one = errno == EADDRINUSE || errno == EACCES || errno == EPERM;
    if (!only_this_one) return fd;
  }
}

/// `in_use`: why it failed is that another process listens there.
Result<Fd> listen_tcp(const Url& url, PortRange ports, TimePoint deadline, bool& in_use) {
  Result<std::vector<Address>> addresses = resolve(url, deadline);
  if (!addresses) return std::move(addresses).error();
  const bool one_said = ports.first == url.port && ports.last == url.port;
  const auto failed = [&](int error) {
    return one_said ? cannot_listen(url, error) : none_free(url, ports, error);
  };
  for (const Address& address : *addresses) {
    Fd fd = bind_last_free(address, ports);
    if (fd) return fd;
    in_use = errno == EADDRINUSE;
    const bool elsewhere = errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT;
    if (!elsewhere) return failed(errno);
  }
  return failed(EADDRNOTAVAIL);
}

enum class SocketFile { absent, stale, alive, no_socket, unknown };

/// `unknown` sets errno: there is no socket to look with.
SocketFile look_at(const Address& address, const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return SocketFile::absent;
  if (!S_ISSOCK(status.st_mode)) return SocketFile::no_socket;
  const Fd probe = new_socket(AF_UNIX);
  if (!probe) return SocketFile::unknown;
  if (::connect(probe.get(), address.get(), address.length) == 0) return SocketFile::alive;
  // Anything but a refusal (no room in its queue, not our business) is a sign of life.
  return errno == ECONNREFUSED ? SocketFile::stale : SocketFile::alive;
}

/// Two servers that start at once must not each take the other's new file, bound but not yet
/// listening, for a stale one: who looks, removes and binds holds its directory's lock. Where a
/// directory cannot be locked (some network file systems), it goes without.
Result<Fd> lock_directory(const Url& url, TimePoint deadline) {
  const std::size_t slash = url.path.rfind('/');
  const std::string directory = slash == 0 ? "/" : url.path.substr(0, slash);
  Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd && (errno == EMFILE || errno == ENFILE)) return cannot_listen(url, errno);
  BackOff back_off(1ms, 50ms);
  while (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (Clock::now() >= deadline) {
      return cannot_listen(url, 0, "another process holds the lock (flock) of " + directory);
    }
    pause_until(std::min(deadline, Clock::now() + back_off.next(system_random())));
  }
  return fd;
}

Result<Fd> listen_unix(const Url& url, TimePoint deadline, bool& in_use) {
  const Result<Fd> lock = lock_directory(url, deadline);
  if (!lock) return lock.error();
  const Address address = unix_address(url.path);
  switch (look_at(address, url.path)) {
    case SocketFile::alive:
      in_use = true;
      return cannot_listen(url, EADDRINUSE, "another process listens there");
    case SocketFile::no_socket:
      return cannot_listen(url, EEXIST, "a file that is no socket is in the way");
    case SocketFile::unknown:
      return cannot_listen(url, errno);
    case SocketFile::stale:
      if (::unlink(url.path.c_str()) != 0) return cannot_listen(url, errno);
      break;
    case SocketFile::absent:
      break;
  }
  Fd fd = bind_and_listen(address);
  if (!fd) return cannot_listen(url, errno);
  return fd;
}

}  // namespace

Result<Fd> listen(const Url& url, TimePoint deadline) {
  return listen(url, {url.port, url.port}, deadline);
}

Result<Fd> listen(const Url& url, PortRange ports, TimePoint deadline) {
  const bool unix_socket = url.scheme == Url::Scheme::unix_socket;
  const TimePoint patience = std::min(deadline, Clock::now() + address_in_use_patience);
  BackOff back_off(1ms, 50ms);
  for (;;) {
    bool in_use = false;
    Result<Fd> fd =
        unix_socket ? listen_unix(url, deadline, in_use) : listen_tcp(url, ports, deadline, in_use);
    if (fd || !in_use || Clock::now() >= patience) return fd;
    pause_until(std::min(patience, Clock::now() + back_off.next(system_random())));
  }
}

void remove_socket_file(int fd) {
  const Result<Url> url = bound_url(fd);
  if (url && url->scheme == Url::Scheme::unix_socket) ::unlink(url->path.c_str());
}

}  // namespace muster::net
