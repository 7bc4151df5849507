// The environment, as launchers set it: lines of VARIABLE=VALUE, of which only MUSTER_* count.

#include <cstdlib>
#include <string>

#include <muster/join_options.hpp>

#include "fuzz/target.hpp"

using namespace muster;

namespace {

/// Sets what a line says, and takes it back.
class Variable {
 public:
  explicit Variable(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (!line.starts_with("MUSTER_") || equals == line.npos) return;
    if (line.substr(0, equals).ends_with("_FD")) return;  // it would be the fuzzer's own
    name_ = line.substr(0, equals);
    const std::string value(line.substr(equals + 1));
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  Variable(Variable&& other) noexcept : name_(std::exchange(other.name_, {})) {}
  ~Variable() {
    if (!name_.empty()) ::unsetenv(name_.c_str());
  }

 private:
  std::string name_;
};

}  // namespace

MUSTER_FUZZ_TARGET(environment) {
  std::vector<Variable> set;
  std::string text(as_text(input));
  std::erase(text, '\0');
  for (std::string_view left = text; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    set.emplace_back(line);
    left.remove_prefix(std::min(left.size(), line.size() + 1));
  }
  const auto options = JoinOptions::from_environment();
  if (!options) {
    // It names the variable.
    MUSTER_ASSERT(options.error().what.find("MUSTER_") != std::string::npos);
    MUSTER_ASSERT(options.error().exit_code == 2);
    return;
  }
  MUSTER_ASSERT(options->size && *options->size > 0);
  MUSTER_ASSERT(options->assign_rank ? !options->rank : options->rank.has_value());
  MUSTER_ASSERT(!options->rank || *options->rank < *options->size);
  MUSTER_ASSERT(options->join_timeout > Duration::zero());
}
