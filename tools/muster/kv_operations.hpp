/// \file
/// What `muster kv` can do with a store: each operation by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/deadline.hpp>
#include <muster/store.hpp>

namespace muster::tool {

/// Value. The command line behind JOB and OPERATION.
struct KvArguments {
  std::vector<std::string> words;
  std::optional<Duration> wait;        ///< --wait
  std::optional<std::uint64_t> count;  ///< --count
  bool absent = false;                 ///< --absent
  bool null = false;                   ///< --null

  const std::string& key() const { return words.front(); }
  char line_end() const { return null ? '\0' : '\n'; }
};

/// Value.
struct KvOperation {
  std::string_view name;
  std::string_view usage;  ///< its words, as the user is told
  std::size_t words_min = 0;
  std::size_t words_max = 0;
  std::string_view options = {};  ///< those that it takes, of "wait count absent null"
  int (*run)(Store&, const KvArguments&) = nullptr;  ///< returns the exit code
};

/// All of them.
std::span<const KvOperation> kv_operations();

}  // namespace muster::tool
