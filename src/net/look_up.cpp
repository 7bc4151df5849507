#include "net/look_up.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <system_error>
#include <thread>

#include "base/text.hpp"
#include "net/wait.hpp"

namespace muster::net {

/// The thread takes no signals: they are meant for the application's threads.
Result<void> LookUps::ask(int family) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = 0;
  try {
    std::thread([resolver = resolver_, name = url_.host, port = url_.port, family, inbox = inbox_] {
      Lookup found = resolver(name, port, family);
      const std::lock_guard lock(inbox->mutex);
      inbox->lookups.push_back(std::move(found));
      inbox->arrived.notify_one();
    }).detach();  // taste: a resolver that hangs must not hold its caller
  } catch (const std::system_error& error) {
    failed = error.code().value();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed == 0) {
    ++asked_;
    return {};
  }
  return Error{.code = Code::system,
               .phase = Phase::resolve,
               .what = fmt::format("cannot start a thread to look up {}: {}", quoted(url_.host),
                                   reason(failed)),
               .advice = "raise the limit of processes (ulimit -u)"};
}

std::optional<Lookup> LookUps::next(TimePoint deadline) {
  if (on_their_way() == 0) return std::nullopt;
  std::unique_lock lock(inbox_->mutex);
  const auto any = [this] { return !inbox_->lookups.empty(); };
  if (!inbox_->arrived.wait_until(lock, deadline, any)) return std::nullopt;
  Lookup first = std::move(inbox_->lookups.front());
  inbox_->lookups.erase(inbox_->lookups.begin());
  ++taken_;
  return first;
}

}  // namespace muster::net
