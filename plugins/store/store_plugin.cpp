/// \file
/// The plugin of a job's own server, for programs that speak the plugin interface only.
///
/// Argument: null, or a `const char*` with the URL that the job is served at; rank 0 serves. What
/// is not said, URL, rank or size, is taken from the environment (MUSTER_*).

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <muster/job.hpp>

#include "common/group_plugin.hpp"

namespace muster::plugins {
namespace {

class StoreMember final : public Member {
 public:
  explicit StoreMember(Job job) : job_(std::move(job)) {}

  Group& world() override { return job_.world(); }
  std::uint64_t capabilities() const override;
  Result<void> fail(const std::string& reason, int exit_code) override {
    return job_.fail(reason, exit_code);
  }
  Result<void> leave(TimePoint deadline) override { return job_.leave(Deadline::at(deadline)); }

 private:
  Job job_;
};

constexpr std::uint64_t capabilities = group_functions | MUSTER_PLUGIN_BOUNDED |
                                       MUSTER_PLUGIN_TELLS_MISSING | MUSTER_PLUGIN_TELLS_LOST |
                                       MUSTER_PLUGIN_ANY_THREAD | MUSTER_PLUGIN_PROGRESS;

std::uint64_t StoreMember::capabilities() const {
  return plugins::capabilities;
}

Result<JoinOptions> options_of(const Start& start) {
  const auto* url = static_cast<const char*>(start.argument);
  JoinOptions options;
  if (url == nullptr || start.ranks == 0) {
    auto from_environment = JoinOptions::from_environment();
    if (!from_environment) return std::move(from_environment).error();
    options = *std::move(from_environment);
  }
  if (url != nullptr) options.url = url;
  if (start.ranks != 0) {
    options.rank = start.rank;
    options.size = start.ranks;
  }
  options.join_timeout = start.deadline - Clock::now();
  return options;
}

Result<std::unique_ptr<Member>> join(const Start& start) {
  auto options = options_of(start);
  if (!options) return std::move(options).error();
  auto job = Job::join(*std::move(options));
  if (!job) return std::move(job).error();
  std::unique_ptr<Member> member = std::make_unique<StoreMember>(*std::move(job));
  return member;
}

int init(const muster_plugin_start* start, muster_plugin_world* world, muster_plugin_error* error) {
  return begin(start, world, error, join);
}

muster_plugin make_table() {
  muster_plugin table = group_plugin("store", capabilities);
  table.init = init;
  return table;
}

}  // namespace
}  // namespace muster::plugins

extern "C" MUSTER_API const muster_plugin* muster_plugin_get(std::uint32_t host_version) {
  static const muster_plugin table = muster::plugins::make_table();
  return host_version == MUSTER_PLUGIN_VERSION ? &table : nullptr;
}
