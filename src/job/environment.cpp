#include <fmt/format.h>
#include <string>
#include <string_view>

#include <muster/join_options.hpp>

#include "base/integer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/usage_error.hpp"
#include "base/variables.hpp"
#include "job/launcher.hpp"
#include "job/liveness.hpp"
#include "job/use_unique_id.hpp"
#include "net/activation.hpp"
#include "net/url.hpp"

namespace muster {
namespace {

Result<Serve> parse_serve(std::string_view text) {
  if (text == "rank0") return Serve::by_rank_0;
  if (text == "external") return Serve::external;
  return usage_error(quoted(text) + " is not who can serve", "expected rank0 or external");
}

Result<std::uint32_t> parse_rank(std::string_view text) {
  const auto rank = parse_integer(text);
  if (rank && *rank >= 0 && *rank < std::int64_t{limits::ranks_max}) {
    return static_cast<std::uint32_t>(*rank);
  }
  return usage_error(quoted(text) + " is no rank",
                     fmt::format("expected 0 to {}, or any", limits::ranks_max - 1));
}

Result<std::uint32_t> parse_size(std::string_view text) {
  const auto size = parse_integer(text);
  if (size && *size >= 1 && *size <= std::int64_t{limits::ranks_max}) {
    return static_cast<std::uint32_t>(*size);
  }
  return usage_error(quoted(text) + " is no count of ranks",
                     fmt::format("expected 1 to {}", limits::ranks_max));
}

Result<LogLevel> parse_level(std::string_view text) {
  if (const auto level = parse_log_level(text)) return *level;
  return usage_error(quoted(text) + " is no log level", "expected error, warning, info or debug");
}

Result<std::string> parse_job(std::string_view text) {
  if (Result<void> good = check_job_id(text); !good) return std::move(good).error();
  return std::string(text);
}

/// An id that comes from the environment was made by somebody else, so somebody else serves, unless
/// MUSTER_SERVE says otherwise.
void take_unique_id(Variables& variables, JoinOptions& options) {
  if (options.unique_id || !options.url.empty()) return;
  Result<std::optional<UniqueId>> id = UniqueId::from_environment();
  if (!id) return variables.fail(std::move(id).error());
  if (!*id) return;
  if (variables.has("MUSTER_URL")) {
    return variables.fail(
        usage_error("MUSTER_URL is set, and a unique id (MUSTER_UID_FILE, MUSTER_UID_FD or "
                    "MUSTER_UID), which has an address of its own",
                    "unset one of them"));
  }
  options.unique_id = *std::move(id);
  if (!variables.has("MUSTER_SERVE")) options.serve = Serve::external;
}

/// Rank, size and address: what neither the program nor MUSTER_* say, the launcher has to.
void take_place(Variables& variables, JoinOptions& options) {
  if (options.url.empty() && !options.unique_id) {
    options.url = variables.text("MUSTER_URL").value_or("");
    variables.parsed("MUSTER_URL", net::Url::parse);
  }
  if (options.plugin.empty()) options.plugin = variables.text("MUSTER_PLUGIN").value_or("");
  if (!options.plugin.empty()) return;  // it knows
  if (!options.rank && variables.text("MUSTER_RANK") == "any") options.assign_rank = true;
  if (!options.rank && !options.assign_rank) {
    options.rank = variables.parsed("MUSTER_RANK", parse_rank);
  }
  if (!options.size) options.size = variables.parsed("MUSTER_SIZE", parse_size);
  if (variables.problem()) return;
  // A rank that the server assigns is no question for the launcher.
  const std::optional<std::uint32_t> rank = options.assign_rank ? 0U : options.rank;
  const bool address = !options.url.empty() || options.unique_id;
  const Known known{.rank = rank, .size = options.size, .address = address};
  Result<Launched> launched = ask_launcher(look_up, known);
  if (!launched) return variables.fail(std::move(launched).error());
  if (!options.assign_rank) options.rank = launched->rank;
  options.size = launched->size;
  if (!known.address) {
    options.url = launched->url;
    options.url_origin = launched->url_origin;
  }
  // Whatever serves outside of the job has its own name for it.
  const bool unnamed =
      options.job_id.empty() && options.serve == Serve::by_rank_0 && !options.unique_id;
  if (unnamed) options.job_id = launched->job_id;
}

/// Whether the program has said nothing about it.
bool unprotected(const Credentials& given) {
  return given.security == Security::automatic && !given.secret && !given.certificates;
}

/// A socket that was handed in: by number, or as systemd does.
void take_listener(Variables& variables, JoinOptions& options) {
  if (const auto fd = variables.number("MUSTER_LISTEN_FD")) {
    if (*fd <= 2) {
      return variables.fail(bad_variable("MUSTER_LISTEN_FD", std::to_string(*fd),
                                         "expected an inherited descriptor, 3 or more"));
    }
    options.listen_fd = static_cast<int>(*fd);
    return;
  }
  if (!serves(options)) return;
  const Result<std::optional<int>> fd = net::activated_socket();
  if (!fd) return variables.fail(fd.error());
  options.listen_fd = *fd;
}

/// `option`, unless it is given already, from `variable`.
template <class T, class Parse>
void take(Variables& variables, std::optional<T>& option, const char* variable, Parse parse) {
  if (!option) option = variables.parsed(variable, parse);
}

}  // namespace

Result<JoinOptions> JoinOptions::from_environment() {
  return from_environment(JoinOptions{});
}

Result<JoinOptions> JoinOptions::from_environment(JoinOptions given) {
  Variables variables(look_up);
  JoinOptions options = std::move(given);
  if (const auto serve = variables.parsed("MUSTER_SERVE", parse_serve)) options.serve = *serve;
  if (options.job_id.empty()) {
    options.job_id = variables.parsed("MUSTER_JOB", parse_job).value_or("");
  }
  take_unique_id(variables, options);
  take_place(variables, options);
  take(variables, options.incarnation, "MUSTER_INCARNATION", Incarnation::parse);
  take(variables, options.epoch, "MUSTER_EPOCH", Epoch::parse);
  take(variables, options.port_range, "MUSTER_PORT_RANGE", PortRange::parse);
  take(variables, options.port_range, "SHMEM_INSTANCE_PORT_RANGE", PortRange::parse);
  variables.seconds("MUSTER_JOIN_TIMEOUT", options.join_timeout);
  variables.seconds("MUSTER_OP_TIMEOUT", options.operation_timeout);
  if (const auto beat = variables.parsed("MUSTER_HEARTBEAT", parse_heartbeat)) {
    options.heartbeat = *beat;
  }
  if (const auto what = variables.parsed("MUSTER_ON_LOSS", parse_on_loss)) options.on_loss = *what;
  if (const auto level = variables.parsed("MUSTER_LOG", parse_level)) {
    options.log = log_to_stderr(*level);
  }
  if (!options.listen_fd) take_listener(variables, options);
  if (options.advertise.empty()) {
    options.advertise = variables.text("MUSTER_ADVERTISE").value_or("");
  }
  if (variables.problem()) return *variables.problem();
  if (unprotected(options.credentials)) {
    Result<Credentials> credentials = Credentials::from_environment();
    if (!credentials) return std::move(credentials).error();
    options.credentials = *std::move(credentials);
  }
  return options;
}

}  // namespace muster
