#include <fmt/format.h>
#include <string>
#include <string_view>

#include <muster/join_options.hpp>

#include "base/text.hpp"
#include "job/launcher.hpp"
#include "job/variables.hpp"
#include "net/url.hpp"

namespace muster {
namespace {

Result<Serve> parse_serve(std::string_view text) {
  if (text == "rank0") return Serve::by_rank_0;
  if (text == "external") return Serve::external;
  return Error{.code = Code::invalid_argument,
               .what = quoted(text) + " is not who can serve",
               .advice = "expected rank0 or external"};
}

Result<LogLevel> parse_level(std::string_view text) {
  if (const auto level = parse_log_level(text)) return *level;
  return Error{.code = Code::invalid_argument,
               .what = quoted(text) + " is no log level",
               .advice = "expected error, warning, info or debug"};
}

Result<std::string> parse_job(std::string_view text) {
  if (Result<void> good = check_job_id(text); !good) return std::move(good).error();
  return std::string(text);
}

/// Rank, size and address: what neither the program nor MUSTER_* say, the launcher has to.
void take_place(Variables& variables, JoinOptions& options) {
  if (options.url.empty()) {
    options.url = variables.text("MUSTER_URL").value_or("");
    variables.parsed("MUSTER_URL", net::Url::parse);
  }
  if (!options.rank && variables.text("MUSTER_RANK") == "any") options.assign_rank = true;
  if (!options.rank && !options.assign_rank) options.rank = variables.number("MUSTER_RANK");
  if (!options.size) options.size = variables.number("MUSTER_SIZE");
  if (variables.problem()) return;
  // A rank that the server assigns is no question for the launcher.
  const std::optional<std::uint32_t> rank = options.assign_rank ? 0U : options.rank;
  const Known known{.rank = rank, .size = options.size, .address = !options.url.empty()};
  Result<Launched> launched = ask_launcher(look_up, known);
  if (!launched) return variables.fail(std::move(launched).error());
  if (!options.assign_rank) options.rank = launched->rank;
  options.size = launched->size;
  if (!known.address) {
    options.url = launched->url;
    options.url_origin = launched->url_origin;
  }
  // Whatever serves outside of the job has its own name for it.
  const bool unnamed = options.job_id.empty() && options.serve == Serve::by_rank_0;
  if (unnamed) options.job_id = launched->job_id;
}

/// Whether the program has said nothing about it.
bool unprotected(const Credentials& given) {
  return given.security == Security::automatic && !given.secret && !given.certificates;
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
  take_place(variables, options);
  take(variables, options.incarnation, "MUSTER_INCARNATION", Incarnation::parse);
  take(variables, options.epoch, "MUSTER_EPOCH", Epoch::parse);
  take(variables, options.port_range, "MUSTER_PORT_RANGE", PortRange::parse);
  take(variables, options.port_range, "SHMEM_INSTANCE_PORT_RANGE", PortRange::parse);
  variables.seconds("MUSTER_JOIN_TIMEOUT", options.join_timeout);
  variables.seconds("MUSTER_OP_TIMEOUT", options.operation_timeout);
  if (const auto level = variables.parsed("MUSTER_LOG", parse_level)) {
    options.log = log_to_stderr(*level);
  }
  if (!options.listen_fd) {
    const auto fd = variables.number("MUSTER_LISTEN_FD");
    if (fd) options.listen_fd = static_cast<int>(*fd);
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
