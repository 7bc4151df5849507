#include "job/kept_listeners.hpp"

#include <map>
#include <string>
#include <unistd.h>

#include "base/fork.hpp"
#include "net/address.hpp"

namespace muster {
namespace {

struct Kept {
  net::Fd listener;
  std::string address;  ///< what it is bound to
  pid_t keeper = 0;
};

/// To be asked for while hold_forks() is held: so a child never inherits the lock of a thread that
/// it does not have.
std::map<std::uint64_t, Kept>& all_kept() {
  static std::map<std::uint64_t, Kept> all;
  return all;
}

/// A forked child may have closed all descriptors that it did not know, and may have others under
/// the same numbers by now.
net::Fd still_the_same(Kept kept) {
  if (net::local_text(kept.listener.get()) == kept.address) return std::move(kept.listener);
  kept.listener.release();
  return {};
}

}  // namespace

void keep_listener(Incarnation whose, net::Fd listener) {
  const auto lock = hold_forks();
  std::string address = net::local_text(listener.get());
  all_kept().insert_or_assign(
      whose.number,
      Kept{.listener = std::move(listener), .address = std::move(address), .keeper = ::getpid()});
}

net::Fd take_kept_listener(Incarnation whose) {
  const auto lock = hold_forks();
  auto node = all_kept().extract(whose.number);
  return node.empty() ? net::Fd() : still_the_same(std::move(node.mapped()));
}

void drop_inherited_listener(Incarnation whose) {
  const auto lock = hold_forks();
  const auto found = all_kept().find(whose.number);
  if (found == all_kept().end() || found->second.keeper == ::getpid()) return;
  still_the_same(std::move(found->second));
  all_kept().erase(found);
}

}  // namespace muster
