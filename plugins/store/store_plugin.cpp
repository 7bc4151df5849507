/// \file
/// The plugin of a job's own server, for programs that speak the plugin interface only.
///
/// Argument: null, or a `const char*` with the URL that the job is served at; rank 0 serves. With a
/// unique id rank 0 is the process that made it. What is not said, address, rank or size, is taken
/// from the environment (MUSTER_*).

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <muster/job.hpp>
#include <muster/unique_id.hpp>

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

constexpr std::uint64_t capabilities = group_functions | MUSTER_PLUGIN_UNIQUE_ID |
                                       MUSTER_PLUGIN_BOUNDED | MUSTER_PLUGIN_TELLS_MISSING |
                                       MUSTER_PLUGIN_TELLS_LOST | MUSTER_PLUGIN_ANY_THREAD |
                                       MUSTER_PLUGIN_PROGRESS;

std::uint64_t StoreMember::capabilities() const {
  return plugins::capabilities;
}

Result<JoinOptions> options_of(const Start& start) {
  JoinOptions options;
  if (start.argument != nullptr) options.url = static_cast<const char*>(start.argument);
  if (!start.unique_id.empty()) {
    auto id = UniqueId::from_bytes(start.unique_id);
    if (!id) return std::move(id).error();
    options.unique_id = *std::move(id);
  }
  if (start.ranks != 0) {
    options.rank = start.rank;
    options.size = start.ranks;
  }
  const bool all_said = start.ranks != 0 && (options.unique_id || !options.url.empty());
  auto whole = all_said ? Result<JoinOptions>(std::move(options))
                        : JoinOptions::from_environment(std::move(options));
  if (!whole) return std::move(whole).error();
  whole->plugin.clear();
  whole->join_timeout = start.deadline - Clock::now();
  return whole;
}

int get_unique_id(unsigned char* id, std::size_t* length, muster_plugin_error* error) {
  if (*length < UniqueId::bytes_size) {
    return report({.code = Code::limit,
                   .what = "room for an id of " + std::to_string(*length) + " bytes, expected " +
                           std::to_string(UniqueId::bytes_size)},
                  error);
  }
  const auto made = UniqueId::create();
  if (!made) return report(made.error(), error);
  const UniqueId::BytesForm bytes = made->bytes();
  std::ranges::transform(bytes, id,
                         [](std::byte byte) { return static_cast<unsigned char>(byte); });
  *length = bytes.size();
  return 0;
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
  table.get_unique_id = get_unique_id;
  return table;
}

}  // namespace
}  // namespace muster::plugins

extern "C" MUSTER_API const muster_plugin* muster_plugin_get(std::uint32_t host_version) {
  static const muster_plugin table = muster::plugins::make_table();
  return host_version == MUSTER_PLUGIN_VERSION ? &table : nullptr;
}
