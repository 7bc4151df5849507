#include "net/connect.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>

#include "base/assert.hpp"
#include "net/resolve.hpp"
#include "net/wait.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;

/// What an attempt at one of several addresses gets at most: in the first round so much, then twice
/// as much in each, since an address may be far away.
constexpr Duration share_first = 250ms;
constexpr Duration share_most = 1min;

/// Value. How an attempt ended: a socket, or errno's number.
struct Attempt {
  Fd fd;
  int error = 0;
};

Attempt attempt(const Address& address, TimePoint deadline) {
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return {Fd(), errno};
  set_no_delay(fd.get());
  if (::connect(fd.get(), address.get(), address.length) != 0) {
    // An interrupted connect goes on by itself, like one in progress.
    if (errno != EINPROGRESS && errno != EINTR) return {Fd(), errno};
    if (!wait_ready(fd.get(), POLLOUT, deadline)) return {Fd(), ETIMEDOUT};
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return {Fd(), error};
  }
  if (meets_itself(fd.get())) {
    // Nobody listens there. Reset it: closed in order it would keep the port busy for a minute.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return {Fd(), ECONNREFUSED};
  }
  return {std::move(fd), 0};
}

/// Whether the same attempt may succeed later.
bool may_change(int error) {
  switch (error) {
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case EHOSTDOWN:
    case ENETUNREACH:
    case ENETDOWN:
    case ENOENT:
    case EAGAIN:
    case EADDRNOTAVAIL:  // all ephemeral ports are in use
      return true;
    default:
      return false;
  }
}

std::string advice_for(int error) {
  switch (error) {
    case ECONNREFUSED:
    case ENOENT:
      return "nobody listens there: is the job's server started, is this its address, or has the "
             "job "
             "ended already?";
    case EACCES:
    case EPERM:
      return "this user may not connect there: look at the file's mode, or the firewall";
    case EAGAIN:
      return "the server's queue is full: it accepts too slowly";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    default:
      return "check the address, and whether a firewall or network policy is in the way";
  }
}

/// Tries the addresses of one URL in turn, until one is connected or none is worth another try.
class Tries {
 public:
  Tries(const Url& url, std::vector<Address> addresses)
      : url_(url), addresses_(std::move(addresses)) {}

  /// Each address once.
  std::optional<Fd> round(TimePoint deadline) {
    for (std::size_t i = 0; i < addresses_.size();) {
      Attempt tried = attempt(addresses_[i], share_of(addresses_.size() - i, deadline));
      if (tried.fd) return std::move(tried.fd);
      ++count_;
      error_ = tried.error;
      last_ = addresses_[i].text();
      if (may_change(error_)) {
        ++i;
      } else {
        addresses_.erase(addresses_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    share_ = std::min(2 * share_, share_most);
    return std::nullopt;
  }

  bool hopeless() const { return addresses_.empty(); }

  Error error(TimePoint begun) const {
    const std::string why = error_ == ETIMEDOUT ? "no answer" : reason(error_);
    return Error{.code = Code::unreachable,
                 .phase = Phase::connect,
                 .what = fmt::format("cannot connect to {}: {} (tried {} time{})", url_.text(), why,
                                     count_, count_ == 1 ? "" : "s"),
                 .advice = advice_for(error_),
                 .remote = last_,
                 .elapsed = Clock::now() - begun};
  }

 private:
  /// An address without an alternative gets all the time there is: the kernel repeats what is lost
  /// on its way better than a new attempt would.
  TimePoint share_of(std::size_t left, TimePoint deadline) const {
    const TimePoint now = Clock::now();
    if (addresses_.size() == 1 || deadline <= now) return deadline;
    const Duration even = (deadline - now) / static_cast<Duration::rep>(left);
    return now + std::min(even, share_);
  }

  const Url& url_;
  std::vector<Address> addresses_;
  Duration share_ = share_first;
  unsigned count_ = 0;
  int error_ = 0;
  std::string last_;
};

}  // namespace

Result<Fd> connect(const Url& url, BackOff& back_off, TimePoint deadline) {
  if (url.scheme != Url::Scheme::unix_socket && url.port == 0) {
    return Error{.code = Code::invalid_argument,
                 .phase = Phase::connect,
                 .what = fmt::format("cannot connect to {}: port 0 is for who serves", url.text()),
                 .advice = "give the port that the server has picked"};
  }
  Result<std::vector<Address>> addresses = resolve(url, deadline);
  if (!addresses) return std::move(addresses).error();
  return connect(url, *std::move(addresses), back_off, deadline);
}

Result<Fd> connect(const Url& url, std::vector<Address> addresses, BackOff& back_off,
                   TimePoint deadline) {
  MUSTER_ASSERT(!addresses.empty());
  const TimePoint begun = Clock::now();
  Tries tries(url, std::move(addresses));
  for (;;) {
    if (std::optional<Fd> connected = tries.round(deadline)) return std::move(*connected);
    if (tries.hopeless() || Clock::now() >= deadline) return tries.error(begun);
    pause_until(std::min(deadline, Clock::now() + back_off.next(system_random())));
  }
}

}  // namespace muster::net
