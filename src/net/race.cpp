#include "net/race.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>

#include "base/assert.hpp"
#include "net/wait.hpp"

namespace muster::net {
namespace {

using namespace std::chrono_literals;

constexpr Duration head_start = 250ms;  // RFC 8305, section 5

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
             "job ended already?";
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

std::string why(int error) {
  return error == ETIMEDOUT ? "no answer" : reason(error);
}

/// Nobody listens there. Reset it: closed in order it would keep the port busy for a minute.
void reset_connection(int fd) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace

std::vector<Address> interleaved(std::vector<Address> addresses) {
  if (addresses.empty()) return addresses;
  const int first = addresses.front().family();
  const auto others =
      std::stable_partition(addresses.begin(), addresses.end(),
                            [first](const Address& a) { return a.family() == first; });
  std::vector<Address> mixed;
  for (auto one = addresses.begin(), other = others; one != others || other != addresses.end();) {
    if (one != others) mixed.push_back(*one++);
    if (other != addresses.end()) mixed.push_back(*other++);
  }
  return mixed;
}

Race::Race(const Url& url, std::vector<Address> addresses) : url_(url) {
  MUSTER_ASSERT(!addresses.empty());
  for (const Address& address : interleaved(std::move(addresses))) {
    runners_.push_back({.address = address, .fd = Fd()});
  }
}

Result<Fd> Race::run(BackOff& back_off, TimePoint deadline) {
  const TimePoint begun = Clock::now();
  fresh_at_ = begun;
  for (;;) {
    if (auto won = begin_due(back_off, deadline)) return std::move(*won);
    if (hopeless()) return error(begun);
    if (auto won = wait(back_off, std::min(deadline, next_event()))) return std::move(*won);
    if (Clock::now() >= deadline && all_begun()) return error(begun);
  }
}

/// At the deadline those that have not begun yet do so all at once: each is tried.
std::optional<Fd> Race::begin_due(BackOff& back_off, TimePoint deadline) {
  const TimePoint now = Clock::now();
  for (Runner& runner : runners_) {
    if (runner.fd || runner.hopeless) continue;
    const bool due =
        runner.begun ? runner.again <= now && now < deadline : fresh_at_ <= now || deadline <= now;
    if (!due) continue;
    if (!runner.begun) fresh_at_ = now + head_start;
    if (auto won = begin(runner, back_off)) return won;
  }
  return std::nullopt;
}

std::optional<Fd> Race::begin(Runner& runner, BackOff& back_off) {
  runner.begun = true;
  ++count_;
  const Address& to = runner.address;
  runner.fd.reset(::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!runner.fd) return settle(runner, errno, back_off);
  set_no_delay(runner.fd.get());
  if (::connect(runner.fd.get(), to.get(), to.length) == 0) return settle(runner, 0, back_off);
  // An interrupted connect goes on by itself, like one in progress.
  if (errno != EINPROGRESS && errno != EINTR) return settle(runner, errno, back_off);
  return std::nullopt;
}

/// An attempt has ended, with errno's number or 0.
std::optional<Fd> Race::settle(Runner& runner, int error, BackOff& back_off) {
  if (error == 0 && !meets_itself(runner.fd.get())) return std::move(runner.fd);
  if (error == 0) {
    reset_connection(runner.fd.get());
    error = ECONNREFUSED;
  }
  runner.fd.reset();
  runner.error = error;
  runner.hopeless = !may_change(error);
  const TimePoint now = Clock::now();
  if (again_at_ <= now) again_at_ = now + back_off.next(system_random());
  runner.again = again_at_;
  fresh_at_ = now;
  return std::nullopt;
}

/// Until one of those on their way has ended, at most until `until`.
std::optional<Fd> Race::wait(BackOff& back_off, TimePoint until) {
  std::vector<Runner*> running;
  std::vector<pollfd> polled;
  for (Runner& runner : runners_) {
    if (!runner.fd) continue;
    running.push_back(&runner);
    polled.push_back({.fd = runner.fd.get(), .events = POLLOUT, .revents = 0});
  }
  if (!wait_any(polled, until)) return std::nullopt;
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (polled[i].revents == 0) continue;
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(polled[i].fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (auto won = settle(*running[i], error, back_off)) return won;
  }
  return std::nullopt;
}

/// When something is to begin that waits for nothing else.
TimePoint Race::next_event() const {
  TimePoint next = TimePoint::max();
  for (const Runner& runner : runners_) {
    if (runner.fd || runner.hopeless) continue;
    next = std::min(next, runner.begun ? runner.again : fresh_at_);
  }
  return next;
}

bool Race::hopeless() const {
  return std::all_of(runners_.begin(), runners_.end(),
                     [](const Runner& runner) { return runner.hopeless; });
}

bool Race::all_begun() const {
  return std::all_of(runners_.begin(), runners_.end(),
                     [](const Runner& runner) { return runner.begun; });
}

/// Of several addresses each is named with its reason, unless all have the same one; those that no
/// waiting cures only if there are no others.
Error Race::error(TimePoint begun) const {
  const bool all = hopeless();
  std::vector<const Runner*> told;
  for (const Runner& runner : runners_) {
    if (all || !runner.hopeless) told.push_back(&runner);
  }
  const auto error_of = [](const Runner* one) { return one->fd ? ETIMEDOUT : one->error; };
  const bool same = std::all_of(told.begin(), told.end(), [&](const Runner* one) {
    return error_of(one) == error_of(told.front());
  });
  // Somebody who answers, and be it with a refusal, tells more than silence.
  const Runner* telling = told.back();
  std::string reasons;
  for (const Runner* one : told) {
    if (error_of(one) != ETIMEDOUT) telling = one;
    reasons += fmt::format("{}{} ({})", reasons.empty() ? "" : ", ", why(error_of(one)),
                           one->address.text());
  }
  return Error{
      .code = Code::unreachable,
      .phase = Phase::connect,
      .what = fmt::format("cannot connect to {}: {} (tried {} time{})", url_.text(),
                          same ? why(error_of(telling)) : reasons, count_, count_ == 1 ? "" : "s"),
      .advice = advice_for(error_of(telling)),
      .remote = telling->address.text(),
      .elapsed = Clock::now() - begun};
}

}  // namespace muster::net
