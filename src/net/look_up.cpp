#include "net/look_up.hpp"

#include <fmt/format.h>
#include <system_error>
#include <thread>

#include "base/no_signals.hpp"
#include "base/text.hpp"
#include "net/wait.hpp"

namespace muster::net {

Result<void> LookUps::ask(int family) {
  try {
    const NoSignals none;
    std::thread([resolver = resolver_, name = url_.host, port = url_.port, family, inbox = inbox_] {
      Lookup found = resolver(name, port, family);
      const std::lock_guard lock(inbox->mutex);
      inbox->lookups.push_back(std::move(found));
      inbox->arrived.notify_one();
    }).detach();  // taste: a resolver that hangs must not hold its caller
  } catch (const std::system_error& failed) {
    return Error{.code = Code::system,
                 .phase = Phase::resolve,
                 .what = fmt::format("cannot start a thread to look up {}: {}", quoted(url_.host),
                                     reason(failed.code().value())),
                 .advice = "raise the limit of processes (ulimit -u)"};
  }
  ++asked_;
  return {};
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
