#include "plugin/session.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/limits.hpp"
#include "base/random.hpp"
#include "plugin/invoke.hpp"
#include "wire/little_endian.hpp"

namespace muster::plugin {
namespace {

/// What a session that is dropped, rather than left, waits for others.
constexpr std::chrono::milliseconds goodbye_max{100};

Error invalid(Code code, std::string what, std::string advice) {
  return Error{.code = code, .what = std::move(what), .advice = std::move(advice)};
}

Result<void> check_options(const PluginOptions& options) {
  if (options.rank.has_value() != options.size.has_value()) {
    return invalid(Code::invalid_argument, "of the options rank and size only one is set",
                   "say both, or neither if the plugin knows them");
  }
  if (!options.size) return {};
  if (*options.size == 0 || *options.size > limits::ranks_max) {
    return invalid(Code::invalid_argument, fmt::format("size is {}", *options.size),
                   fmt::format("expected 1 to {}", limits::ranks_max));
  }
  if (*options.rank < *options.size) return {};
  return invalid(Code::invalid_argument,
                 fmt::format("rank is {} in a group of {}", *options.rank, *options.size),
                 fmt::format("expected 0 to {}", *options.size - 1));
}

}  // namespace

Result<std::shared_ptr<Session>> Session::begin(const Loaded& loaded,
                                                const PluginOptions& options) {
  if (auto good = check_options(options); !good) return std::move(good).error();
  auto session = std::make_shared<Session>(loaded);
  if (auto started = session->start(options); !started) return std::move(started).error();
  return session;
}

Result<void> Session::start(const PluginOptions& options) {
  const TimePoint deadline = Deadline::in(options.join_timeout).resolve(Clock::now(), {});
  operation_timeout_ = options.operation_timeout;
  const muster_plugin_start start{.version = MUSTER_PLUGIN_VERSION,
                                  .size = sizeof(start),
                                  .argument = options.argument,
                                  .unique_id = {options.unique_id.data(), options.unique_id.size()},
                                  .rank = options.rank.value_or(MUSTER_PLUGIN_NO_RANK),
                                  .ranks = options.size.value_or(0),
                                  .deadline_ns = to_ns(deadline)};
  world_.version = MUSTER_PLUGIN_VERSION;
  world_.size = sizeof(world_);
  auto begun = invoke(name(), "init", [&](muster_plugin_error* error) {
    return table().init(&start, &world_, error);
  });
  if (!begun) return begun;
  open_ = true;
  if (auto good = check_world(); !good) return good;
  return settle_incarnation(deadline);
}

Result<void> Session::check_world() const {
  if (world_.ranks == 0 || world_.ranks > limits::ranks_max || world_.rank >= world_.ranks) {
    return broken_contract(name(), "init",
                           fmt::format("said that this is rank {} of {}, expected 0 <= rank < size "
                                       "<= {}",
                                       world_.rank, world_.ranks, limits::ranks_max));
  }
  if ((world_.capabilities & ~table().capabilities) != 0) {
    return broken_contract(name(), "init",
                           fmt::format("said that it has capabilities {:#x} now, more than the "
                                       "table's {:#x}",
                                       world_.capabilities, table().capabilities));
  }
  if (can(MUSTER_PLUGIN_EXCHANGE) || can(MUSTER_PLUGIN_ALLGATHER)) return {};
  return broken_contract(name(), "init", "gave a session with neither exchange nor allgather");
}

/// All ranks take rank 0's number, if the plugin has none.
Result<void> Session::settle_incarnation(TimePoint deadline) {
  incarnation_.number = world_.incarnation;
  if (incarnation_.number != 0) return {};
  if (!can(MUSTER_PLUGIN_ALLGATHER)) {
    return broken_contract(name(), "init", "gave no incarnation, and there is no allgather");
  }
  constexpr std::size_t bytes = sizeof(std::uint64_t);
  std::byte mine[bytes];
  wire::put(mine, Incarnation::random().number);
  Value all(bytes * world_.ranks);
  auto gathered = invoke(name(), "allgather", [&](muster_plugin_error* error) {
    return table().allgather(world_.group, mine, bytes, all.data(), to_ns(deadline), error);
  });
  if (!gathered) return gathered;
  incarnation_.number = wire::get<std::uint64_t>(all.data());
  return {};
}

Result<void> Session::usable() const {
  if (!at_home()) return home_.error();
  if (!open_) {
    return invalid(Code::invalid_state, fmt::format("a call of plugin {} after leave", name()),
                   "make another group");
  }
  if (can(MUSTER_PLUGIN_ANY_THREAD) || std::this_thread::get_id() == thread_) return {};
  return invalid(
      Code::invalid_state,
      fmt::format("plugin {} can be called only on the thread that made its group", name()),
      "make all calls there; with MPI, initialise it with MPI_THREAD_MULTIPLE");
}

Result<void> Session::finish(TimePoint deadline) {
  if (auto good = usable(); !good) return good;
  if (subsets_ > 0) {
    return invalid(Code::invalid_state,
                   fmt::format("leave with {} subsets that are still open", subsets_.load()),
                   "end them first");
  }
  if (!open_.exchange(false)) return usable();
  return invoke(name(), "finalize", [&](muster_plugin_error* error) {
    return table().finalize(world_.session, to_ns(deadline), error);
  });
}

Session::~Session() {
  // Who drops a session does not ask how it went.
  static_cast<void>(finish(Clock::now() + goodbye_max));
}

}  // namespace muster::plugin
