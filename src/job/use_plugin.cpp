#include "job/use_plugin.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "base/usage_error.hpp"
#include "plugin/load.hpp"
#include "wire/notices.hpp"

namespace muster {
namespace {

/// What rank 0 tells the others, in the first byte; the rest is what it says.
enum class Word : std::uint8_t {
  own = 0,      ///< nothing: each rank was told the address
  id = 1,       ///< the unique id
  failure = 2,  ///< there is none, and why
};

/// The same for processes that reach each other by the loopback, and for no others: one boot of one
/// host, one network namespace.
std::string neighbourhood() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  char space[64] = "";
  const ssize_t length = ::readlink("/proc/self/ns/net", space, sizeof(space));
  if (boot.empty() || length <= 0) return {};
  return boot + std::string(space, static_cast<std::size_t>(length));
}

Result<bool> all_local(Group& group, TimePoint deadline) {
  const std::string mine = neighbourhood();
  const auto all = group.allgatherv(as_bytes(mine), "muster neighbours", Deadline::at(deadline));
  if (!all) return all.error();
  const auto is_mine = [&](Bytes each) { return !each.empty() && as_text(each) == mine; };
  return std::all_of(all->begin(), all->end(), is_mine);
}

/// What rank 0 has to say, which may be that it failed.
Value word_of_rank_0(const JoinOptions& options, bool local) {
  if (!options.url.empty() || options.unique_id || options.serve == Serve::external) {
    return {static_cast<std::byte>(Word::own)};
  }
  UniqueIdOptions making;
  making.job_id = options.job_id;
  making.advertise = options.advertise;
  making.port_range = options.port_range;
  making.all_local = local;
  const auto id = UniqueId::create(making);
  Value word;
  if (id) {
    const UniqueId::BytesForm bytes = id->bytes();
    word.push_back(static_cast<std::byte>(Word::id));
    word.insert(word.end(), bytes.begin(), bytes.end());
  } else {
    const Error& error = id.error();
    word.push_back(static_cast<std::byte>(Word::failure));
    wire::encode(Failure{.code = error.code,
                         .reason = "rank 0 can't serve the job: " + error.what,
                         .advice = error.advice,
                         .exit_code = error.exit_code},
                 word);
  }
  return word;
}

Result<void> heed(JoinOptions& options, const Value& word) {
  const Bytes rest = Bytes(word).subspan(word.empty() ? 0 : 1);
  const Word said = word.empty() ? Word::failure : static_cast<Word>(word.front());
  if (said == Word::own) return {};
  if (said == Word::id) {
    auto id = UniqueId::from_bytes(rest);
    if (!id) return std::move(id).error();
    options.unique_id = *std::move(id);
    return {};
  }
  const auto failure = wire::decode_failure(rest);
  if (failure) return wire::to_error(*failure, Phase::local);
  return Error{.code = Code::protocol,
               .what = "what rank 0 said over the plugin is malformed",
               .advice = "check that all ranks run the same release"};
}

Error differs(const char* option, std::uint32_t given, std::uint32_t found,
              std::string_view plugin) {
  return usage_error(fmt::format("{} is {}, but plugin {} says {}", option, given, plugin, found),
                     "leave it out: the plugin knows");
}

Result<void> take_place(JoinOptions& options, const PluginGroup& group) {
  if (options.rank && *options.rank != group.rank()) {
    return differs("rank", *options.rank, group.rank(), group.plugin());
  }
  if (options.size && *options.size != group.size()) {
    return differs("size", *options.size, group.size(), group.plugin());
  }
  options.rank = group.rank();
  options.size = group.size();
  return {};
}

}  // namespace

Result<void> use_plugin(JoinOptions& options, std::unique_ptr<PluginGroup>& group,
                        TimePoint deadline) {
  if (options.plugin.empty()) return {};
  const auto file = plugin::find(options.plugin);
  if (!file) return named("plugin (MUSTER_PLUGIN)", file.error());
  PluginOptions joining;
  joining.argument = options.plugin_argument;
  joining.join_timeout = deadline - Clock::now();
  joining.operation_timeout = options.operation_timeout;
  if (options.rank && options.size) {
    joining.rank = options.rank;
    joining.size = options.size;
  }
  auto joined = make_plugin_group(options.plugin, joining);
  if (!joined) return std::move(joined).error();
  group = *std::move(joined);
  if (auto placed = take_place(options, *group); !placed) return placed;

  const auto local = all_local(*group, deadline);
  if (!local) return local.error();
  const Value mine = group->rank() == 0 ? word_of_rank_0(options, *local) : Value{};
  const auto word = group->broadcast(mine, 0, "muster unique id", Deadline::at(deadline));
  if (!word) return word.error();
  return heed(options, *word);
}

}  // namespace muster
