#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "base/text.hpp"
#include "plugin/load.hpp"

namespace muster::plugin {
namespace {

/// An MPI, by what betrays it: a function that only it has, a variable that only its launcher sets.
struct Mpi {
  const char* plugin;
  const char* symbol;
  const char* variable;
};
constexpr std::array mpis{Mpi{"mpi_openmpi", "ompi_mpi_init", "OMPI_COMM_WORLD_SIZE"},
                          Mpi{"mpi_mpich", "MPIR_Err_return_comm", "PMI_SIZE"}};

/// With the plugin of another MPI than the launcher's each rank would be a job of one.
std::vector<std::string> names_of(std::string_view name) {
  if (name != "mpi") return {std::string(name)};
  for (const Mpi& mpi : mpis) {
    if (dlsym(RTLD_DEFAULT, mpi.symbol) != nullptr) return {mpi.plugin};
  }
  for (const Mpi& mpi : mpis) {
    if (std::getenv(mpi.variable) != nullptr) return {mpi.plugin};
  }
  return {mpis[0].plugin, mpis[1].plugin};
}

/// Where this code was loaded from: the library, or the program that it is part of.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return "";
  std::string file = info.dli_fname;
  // Of a program it is what that was called by, which says nothing about where it is.
  if (!file.starts_with('/')) {
    std::error_code none;
    file = std::filesystem::read_symlink("/proc/self/exe", none).string();
  }
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash);
}

std::vector<std::string> folders() {
  std::vector<std::string> found;
  const char* variable = std::getenv("MUSTER_PLUGIN_PATH");
  std::string_view path = variable == nullptr ? "" : variable;
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    if (colon > 0) found.emplace_back(path.substr(0, colon));
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  const std::string own = own_folder();
  if (own.empty()) return found;
  found.push_back(own + "/muster");
  found.push_back(own + "/../lib/muster");  // of a program that has Muster in it
  return found;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

}  // namespace

Result<std::vector<std::string>> candidates(std::string_view name_or_path) {
  if (name_or_path.find('/') != std::string_view::npos) {
    return std::vector{std::string(name_or_path)};
  }
  if (!is_name(name_or_path)) {
    return Error{.code = Code::invalid_argument,
                 .what = fmt::format("{} is no name of a plugin", quoted(name_or_path)),
                 .advice = "expected 1 to 64 of a-z 0-9 _ -, or a path with a '/' in it"};
  }
  std::vector<std::string> files;
  for (const std::string& folder : folders()) {
    for (const std::string& name : names_of(name_or_path)) {
      files.push_back(fmt::format("{}/libmuster_{}.so", folder, name));
    }
  }
  return files;
}

}  // namespace muster::plugin
