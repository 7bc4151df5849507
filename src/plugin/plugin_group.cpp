#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include <muster/plugin_group.hpp>

#include "base/assert.hpp"
#include "base/exit_code.hpp"
#include "base/limits.hpp"
#include "group/call_check.hpp"
#include "plugin/invoke.hpp"
#include "plugin/rounds.hpp"
#include "plugin/session.hpp"

namespace muster {
namespace plugin {
namespace {

Error unsupported(const Session& session, const char* what) {
  return Error{.code = Code::unsupported,
               .what = fmt::format("plugin {} has no {}", session.name(), what),
               .advice = "use the job's own group"};
}

/// After these the round is over and the group is in step; of an allgather all others break it.
bool leaves_group_usable(const Session& session, Code verdict) {
  if (verdict == Code::limit) return true;
  return verdict == Code::rank_missing && session.can(MUSTER_PLUGIN_EXCHANGE);
}

class GroupOverPlugin final : public PluginGroup {
 public:
  /// `members`: by rank, as ranks of the world; empty for the world itself.
  GroupOverPlugin(std::shared_ptr<Session> session, const Place& place,
                  std::vector<std::uint32_t> members)
      : session_(std::move(session)), place_(place), members_(std::move(members)) {
    rounds_ = session_->can(MUSTER_PLUGIN_EXCHANGE) ? make_exchange_rounds(*session_, place_)
                                                    : make_allgather_rounds(*session_, place_);
    if (!members_.empty()) session_->subset_opened();
  }
  ~GroupOverPlugin() override;

  Identity identity() const override { return {session_->incarnation(), 0}; }
  TimePoint now() const override { return Clock::now(); }
  TimePoint resolve(Deadline deadline) const override {
    return deadline.resolve(now(), session_->operation_timeout());
  }
  std::uint32_t rank() const override { return place_.rank; }
  std::uint32_t size() const override { return place_.size; }
  std::uint32_t rank_in_job(std::uint32_t rank) const override {
    MUSTER_ASSERT(rank < place_.size);
    return members_.empty() ? rank : members_[rank];
  }
  std::string_view plugin() const override { return session_->name(); }
  std::uint64_t capabilities() const override { return session_->world().capabilities; }

  Result<std::unique_ptr<Group>> subset(std::span<const std::uint32_t> members,
                                        Deadline deadline) override;
  Result<Parts> arrive(const Call& call, Deadline deadline) override;
  Result<void> fail(std::string_view reason, int exit_code) override;
  Result<void> leave(Deadline deadline) override { return session_->finish(resolve(deadline)); }

 private:
  Result<Parts> take_part(const Call& call, TimePoint begun, TimePoint until);

  std::shared_ptr<Session> session_;
  Place place_;
  std::vector<std::uint32_t> members_;
  std::unique_ptr<RoundMaker> rounds_;
  std::atomic<bool> in_flight_ = false;
  // Touched only by the call in flight.
  std::uint64_t sequence_ = 0;
  std::optional<Error> broken_;  ///< for good, and why
};

GroupOverPlugin::~GroupOverPlugin() {
  if (members_.empty() || !session_->at_home()) return;
  static_cast<void>(invoke(session_->name(), "close_group", [this](muster_plugin_error*) {
    session_->table().close_group(place_.group);
    return 0;
  }));
  session_->subset_closed();
}

Result<std::unique_ptr<Group>> GroupOverPlugin::subset(std::span<const std::uint32_t> members,
                                                       Deadline deadline) {
  if (auto good = check_members(members, rank(), size()); !good) return std::move(good).error();
  if (auto good = session_->usable(); !good) return std::move(good).error();
  const bool able = session_->can(MUSTER_PLUGIN_SUBSETS) && session_->can(MUSTER_PLUGIN_EXCHANGE);
  if (!able) return unsupported(*session_, "subsets");
  const auto own = std::ranges::find(members, rank());
  Place place{.rank = static_cast<std::uint32_t>(own - members.begin()),
              .size = static_cast<std::uint32_t>(members.size())};
  auto opened = invoke(session_->name(), "open_group", [&](muster_plugin_error* error) {
    return session_->table().open_group(place_.group, members.data(), place.size,
                                        to_ns(resolve(deadline)), &place.group, error);
  });
  if (!opened) return std::move(opened).error();
  std::vector<std::uint32_t> in_world;
  for (const std::uint32_t member : members) in_world.push_back(rank_in_job(member));
  std::unique_ptr<Group> subset =
      std::make_unique<GroupOverPlugin>(session_, place, std::move(in_world));
  return subset;
}

Result<Parts> GroupOverPlugin::arrive(const Call& call, Deadline deadline) {
  if (auto good = check(call, rank(), size()); !good) return std::move(good).error();
  if (auto good = session_->usable(); !good) return std::move(good).error();
  if (in_flight_.exchange(true, std::memory_order_acquire)) {
    return Error{
        .code = Code::busy,
        .what = "another collective is in flight on this group; a group takes one at a time"};
  }
  const TimePoint begun = now();
  auto parts = take_part(call, begun, deadline.resolve(begun, session_->operation_timeout()));
  in_flight_.store(false, std::memory_order_release);
  return parts;
}

Result<Parts> GroupOverPlugin::take_part(const Call& call, TimePoint begun, TimePoint until) {
  if (broken_) return *broken_;
  auto parts = rounds_->round(call, ++sequence_, until);
  if (parts) return parts;
  Error error = std::move(parts).error();
  if (!leaves_group_usable(*session_, error.code)) broken_ = error;
  error.elapsed = now() - begun;
  return error;
}

Result<void> GroupOverPlugin::fail(std::string_view reason, int exit_code) {
  if (auto fits = check_exit_code(exit_code); !fits) return fits;
  if (auto good = session_->usable(); !good) return good;
  if (!session_->can(MUSTER_PLUGIN_FAIL)) return unsupported(*session_, "way to fail a job");
  const std::string text(reason.substr(0, limits::text_bytes_max));
  return invoke(session_->name(), "fail", [&](muster_plugin_error* error) {
    return session_->table().fail(session_->world().session, text.c_str(), exit_code, error);
  });
}

Result<std::unique_ptr<PluginGroup>> begin(const Result<Loaded>& loaded,
                                           const PluginOptions& options) {
  if (!loaded) return loaded.error();
  auto session = Session::begin(*loaded, options);
  if (!session) return std::move(session).error();
  const muster_plugin_world& world = (*session)->world();
  const Place place{.group = world.group, .rank = world.rank, .size = world.ranks};
  std::unique_ptr<PluginGroup> group =
      std::make_unique<GroupOverPlugin>(*std::move(session), place, std::vector<std::uint32_t>{});
  return group;
}

}  // namespace
}  // namespace plugin

Result<std::unique_ptr<PluginGroup>> make_plugin_group(std::string_view name_or_path,
                                                       const PluginOptions& options) {
  return plugin::begin(plugin::load(name_or_path), options);
}

Result<std::unique_ptr<PluginGroup>> make_group_over(const muster_plugin& table,
                                                     const PluginOptions& options) {
  return plugin::begin(plugin::check(&table, ""), options);
}

Result<Value> make_plugin_id(std::string_view name_or_path) {
  auto loaded = plugin::load(name_or_path);
  if (!loaded) return std::move(loaded).error();
  if ((loaded->table->capabilities & MUSTER_PLUGIN_UNIQUE_ID) == 0) {
    return Error{.code = Code::unsupported,
                 .what = fmt::format("plugin {} makes no unique ids", loaded->name),
                 .advice = "it finds the other ranks by itself: join without one"};
  }
  constexpr std::size_t room = 4096;
  Value id(room);
  std::size_t length = id.size();
  auto made = plugin::invoke(loaded->name, "get_unique_id", [&](muster_plugin_error* error) {
    return loaded->table->get_unique_id(reinterpret_cast<unsigned char*>(id.data()), &length,
                                        error);
  });
  if (!made) return std::move(made).error();
  if (length == 0 || length > room) {
    return plugin::broken_contract(
        loaded->name, "get_unique_id",
        fmt::format("made an id of {} bytes, expected 1 to {}", length, room));
  }
  id.resize(length);
  return id;
}

}  // namespace muster
