#include "plugin/load.hpp"

#include <bit>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/regular_file.hpp"
#include "base/text.hpp"
#include "plugin/invoke.hpp"

namespace muster::plugin {
namespace {

Error wrong(std::string what, std::string advice) {
  return Error{
      .code = Code::invalid_argument, .what = std::move(what), .advice = std::move(advice)};
}

/// A path, whole: its end is what tells plugins apart.
std::string shown(const std::string& file) {
  return "'" + printable(file, 4096) + "'";
}

/// Functions, in the order of their capabilities.
struct Function {
  std::uint64_t capability;
  const char* name;
  bool there;
};

const char* missing_function(const muster_plugin& table) {
  const bool subsets = table.open_group != nullptr && table.close_group != nullptr;
  const Function functions[] = {
      {MUSTER_PLUGIN_UNIQUE_ID, "get_unique_id", table.get_unique_id != nullptr},
      {MUSTER_PLUGIN_EXCHANGE, "exchange", table.exchange != nullptr},
      {MUSTER_PLUGIN_BARRIER, "barrier", table.barrier != nullptr},
      {MUSTER_PLUGIN_ALLGATHER, "allgather", table.allgather != nullptr},
      {MUSTER_PLUGIN_ALLTOALL, "alltoall", table.alltoall != nullptr},
      {MUSTER_PLUGIN_SUBSETS, "open_group or close_group", subsets},
      {MUSTER_PLUGIN_FAIL, "fail", table.fail != nullptr}};
  if (table.init == nullptr) return "init";
  if (table.finalize == nullptr) return "finalize";
  for (const Function& function : functions) {
    if ((table.capabilities & function.capability) != 0 && !function.there) return function.name;
  }
  return nullptr;
}

Result<void*> open(const std::string& file) {
  dlerror();
  // All symbols now: a plugin that lacks one fails here and not in the middle of a job. Local: two
  // plugins, or a plugin and the program, may bring the same library in two versions.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* why = dlerror();
  return Error{.code = Code::system,
               .what = fmt::format("cannot load plugin {}: {}", shown(file),
                                   printable(why == nullptr ? "unknown reason" : why)),
               .advice =
                   "see whether it is a shared library of this machine's kind, and whether "
                   "`ldd` finds what it needs"};
}

Result<Loaded> load_file(const std::string& file) {
  auto handle = open(file);
  if (!handle) return std::move(handle).error();
  void* entry = dlsym(*handle, MUSTER_PLUGIN_ENTRY);
  if (entry == nullptr) {
    return wrong(fmt::format("{} is no plugin of Muster's: it does not export " MUSTER_PLUGIN_ENTRY,
                             shown(file)),
                 "name a plugin, or build this one as the plugin guide says");
  }
  const muster_plugin* table = nullptr;
  auto called = invoke(shown(file), MUSTER_PLUGIN_ENTRY, [&](muster_plugin_error*) {
    table = std::bit_cast<muster_plugin_get_function>(entry)(MUSTER_PLUGIN_VERSION);
    return 0;
  });
  if (!called) return std::move(called).error();
  return check(table, file);
}

}  // namespace

Result<Loaded> check(const muster_plugin* table, const std::string& file) {
  const std::string which = file.empty() ? "the registered plugin" : "plugin " + shown(file);
  if (table == nullptr) {
    return wrong(fmt::format("{} has no table for version {} of the plugin interface", which,
                             MUSTER_PLUGIN_VERSION),
                 "use a plugin that was built for this release");
  }
  if (table->version != MUSTER_PLUGIN_VERSION) {
    return wrong(
        fmt::format("{} is of version {} of the plugin interface, expected version {}", which,
                    table->version, MUSTER_PLUGIN_VERSION),
        table->version < MUSTER_PLUGIN_VERSION
            ? "the plugin is too old: build it anew, with this release's muster/plugin.h"
            : "the plugin is too new: use a later release of Muster, or an earlier plugin");
  }
  if (table->size != sizeof(muster_plugin)) {
    return wrong(fmt::format("{} has a table of {} bytes, expected {} in version {}", which,
                             table->size, sizeof(muster_plugin), MUSTER_PLUGIN_VERSION),
                 "build the plugin anew, with this release's muster/plugin.h, for this machine");
  }
  if (const char* function = missing_function(*table)) {
    return wrong(
        fmt::format("{} says that it has {}, but the function is missing", which, function),
        "report this to the maker of the plugin");
  }
  if ((table->capabilities & ~MUSTER_PLUGIN_CAPABILITIES) != 0) {
    return wrong(
        fmt::format("{} has capabilities {:#x}, of which version {} knows {:#x}", which,
                    table->capabilities, MUSTER_PLUGIN_VERSION, MUSTER_PLUGIN_CAPABILITIES),
        "report this to the maker of the plugin");
  }
  if ((table->capabilities & (MUSTER_PLUGIN_EXCHANGE | MUSTER_PLUGIN_ALLGATHER)) == 0) {
    return wrong(fmt::format("{} has neither exchange nor allgather, expected one of them", which),
                 "report this to the maker of the plugin");
  }
  const std::string own = table->name == nullptr ? "without a name" : printable(table->name, 128);
  return Loaded{table, file.empty() ? own : fmt::format("{} ({})", own, file)};
}

Result<std::string> find(std::string_view name_or_path) {
  auto files = candidates(name_or_path);
  if (!files) return std::move(files).error();
  for (const std::string& file : *files) {
    if (access(file.c_str(), F_OK) != 0) continue;
    // The system's loader would wait for the other end of a FIFO.
    const auto regular =
        check_regular_file(file, "plugin " + shown(file), "expected the path of a shared library");
    return regular ? Result<std::string>(file) : Result<std::string>(regular.error());
  }
  std::string tried;
  for (const std::string& file : *files) tried += (tried.empty() ? "" : ", ") + file;
  return wrong(fmt::format("there is no plugin {}: tried {}", quoted(name_or_path), tried),
               "install it, say its path, or name its folder in MUSTER_PLUGIN_PATH");
}

Result<Loaded> load(std::string_view name_or_path) {
  auto file = find(name_or_path);
  if (!file) return std::move(file).error();
  return load_file(*file);
}

}  // namespace muster::plugin
