#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <muster/plugin_group.hpp>

namespace muster {
namespace {

/// The session of a plugin that is nothing but a function.
struct Callback {
  AllgatherCallback allgather;
  std::uint32_t ranks = 0;
};

int init(const muster_plugin_start* start, muster_plugin_world* world, muster_plugin_error*) {
  auto& given = *static_cast<AllgatherCallback*>(start->argument);
  world->session = std::make_unique<Callback>(Callback{std::move(given), start->ranks}).release();
  world->group = world->session;
  world->rank = start->rank;
  world->ranks = start->ranks;
  world->incarnation = 0;
  world->capabilities = MUSTER_PLUGIN_ALLGATHER | MUSTER_PLUGIN_ANY_THREAD;
  return 0;
}

int finalize(void* session, std::uint64_t, muster_plugin_error*) {
  const std::unique_ptr<Callback> ended(static_cast<Callback*>(session));
  return 0;
}

int allgather(void* group, const void* mine, std::size_t bytes, void* all,
              std::uint64_t deadline_ns, muster_plugin_error* error) {
  const auto& callback = *static_cast<Callback*>(group);
  const TimePoint deadline{std::chrono::nanoseconds{deadline_ns}};
  const auto done =
      callback.allgather({static_cast<const std::byte*>(mine), bytes},
                         {static_cast<std::byte*>(all), bytes * callback.ranks}, deadline);
  if (done) return 0;
  const std::string_view what = done.error().what;
  std::memcpy(error->what, what.data(), std::min<std::size_t>(what.size(), error->what_bytes - 1));
  error->exit_code = done.error().exit_code;
  return static_cast<int>(done.error().code);
}

constexpr muster_plugin callback_plugin{
    .version = MUSTER_PLUGIN_VERSION,
    .size = sizeof(muster_plugin),
    .name = "allgather of this program",
    .capabilities = MUSTER_PLUGIN_ALLGATHER | MUSTER_PLUGIN_ANY_THREAD,
    .get_unique_id = nullptr,
    .init = init,
    .finalize = finalize,
    .exchange = nullptr,
    .barrier = nullptr,
    .allgather = allgather,
    .alltoall = nullptr,
    .open_group = nullptr,
    .close_group = nullptr,
    .fail = nullptr};

}  // namespace

Result<std::unique_ptr<PluginGroup>> make_group_over(AllgatherCallback allgather,
                                                     const PluginOptions& options) {
  if (!allgather || !options.rank || !options.size) {
    return Error{.code = Code::invalid_argument,
                 .what = "a group over an allgather was given no function, no rank or no size",
                 .advice = "say the function, and the options rank and size"};
  }
  PluginOptions passed = options;
  passed.argument = &allgather;
  return make_group_over(callback_plugin, passed);
}

}  // namespace muster
