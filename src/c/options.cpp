#include "c/options.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/usage_error.hpp"
#include "c/arguments.hpp"
#include "c/handles.hpp"

namespace muster::c {
namespace {

/// An error of one option, named after it.
Error about(const char* option, Error error) {
  error.what = fmt::format("{}: {}", option, error.what);
  return error;
}

/// A rank or a size: -1 is none.
std::optional<std::uint32_t> number(Arguments& given, std::int64_t value, const char* name) {
  if (value == -1) return std::nullopt;
  constexpr std::int64_t most = limits::ranks_max;
  if (value < 0 || value > most) {
    given.fail(fmt::format("{} is {}", name, value), fmt::format("expected 0 to {}", most));
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(value);
}

Result<void> take_names(const muster_join_options& said, JoinOptions& options) {
  options.job_id = text(said.job_id);
  if (said.incarnation != nullptr) {
    const auto incarnation = Incarnation::parse(said.incarnation);
    if (!incarnation) return about("incarnation", incarnation.error());
    options.incarnation = *incarnation;
  }
  if (said.epoch != nullptr) {
    const auto epoch = Epoch::parse(said.epoch);
    if (!epoch) return about("epoch", epoch.error());
    options.epoch = *epoch;
  }
  if (said.contract != nullptr) {
    auto contract = said.contract->builder.build();
    if (!contract) return about("contract", std::move(contract).error());
    options.contract = *std::move(contract);
  }
  return {};
}

std::function<Result<std::string>()> to_password(const muster_join_options& said) {
  return [ask = said.key_password, context = said.key_password_context]() -> Result<std::string> {
    const char* password = ask(context);
    if (password != nullptr) return std::string(password);
    return usage_error("the key is encrypted, and key_password gave no password");
  };
}

Result<void> take_credentials(const muster_join_options& said, Bytes secret,
                              Credentials& credentials) {
  credentials.security = static_cast<Security>(said.security);
  if (said.secret.data != nullptr) {
    auto known = Secret::from_bytes(secret);
    if (!known) return about("secret", std::move(known).error());
    credentials.secret = *std::move(known);
  }
  const std::string_view files[] = {text(said.certificate_file), text(said.key_file),
                                    text(said.ca_file), text(said.crl_file)};
  for (const std::string_view file : files) {
    if (file.empty()) continue;
    credentials.certificates = Certificates{.certificate_file = std::string(files[0]),
                                            .key_file = std::string(files[1]),
                                            .ca_file = std::string(files[2]),
                                            .crl_file = std::string(files[3])};
  }
  if (said.key_password != nullptr && credentials.certificates) {
    credentials.certificates->key_password = to_password(said);
  }
  return {};
}

LogSink to_sink(const muster_join_options& said) {
  if (said.log == nullptr) return nullptr;
  return [log = said.log, context = said.log_context](LogLevel level, std::string_view line) {
    log(context, static_cast<int>(level), std::string(line).c_str());
  };
}

/// Of these the environment cannot see whether they were given.
void take_what_was_said(const muster_join_options& said, Arguments& given, JoinOptions& options) {
  if (said.serve == MUSTER_SERVE_RANK0) options.serve = Serve::by_rank_0;
  if (said.serve == MUSTER_SERVE_EXTERNAL) options.serve = Serve::external;
  options.until = said.until == MUSTER_UNTIL_ADMITTED ? Until::admitted : options.until;
  options.join_timeout = given.duration(said.join_timeout, options.join_timeout, "join_timeout");
  options.operation_timeout =
      given.duration(said.operation_timeout, options.operation_timeout, "operation_timeout");
  options.heartbeat = given.duration(said.heartbeat, options.heartbeat, "heartbeat");
  if (said.on_loss == MUSTER_ON_LOSS_FAIL_JOB) options.on_loss = OnLoss::fail_job;
  if (said.on_loss == MUSTER_ON_LOSS_NOTIFY) options.on_loss = OnLoss::notify;
  if (LogSink sink = to_sink(said)) options.log = std::move(sink);
}

}  // namespace

Result<JoinOptions> to_join_options(const muster_join_options* options) {
  Arguments given;
  const auto said = given.options(options, muster_join_options_init_sized, "muster_join_options");
  JoinOptions wanted;
  wanted.url = text(said.url);
  if (said.unique_id != nullptr) wanted.unique_id = said.unique_id->id;
  wanted.rank = number(given, said.rank, "rank");
  wanted.size = number(given, said.size, "size");
  wanted.assign_rank = said.assign_rank != 0;
  given.number(said.serve, MUSTER_SERVE_DEFAULT, MUSTER_SERVE_EXTERNAL, "serve");
  given.number(said.until, MUSTER_UNTIL_ALL_JOINED, MUSTER_UNTIL_ADMITTED, "until");
  given.number(said.security, MUSTER_SECURITY_AUTOMATIC, MUSTER_SECURITY_TLS, "security");
  const Bytes secret = given.bytes(said.secret, "secret");
  given.number(said.on_loss, MUSTER_ON_LOSS_DEFAULT, MUSTER_ON_LOSS_NOTIFY, "on_loss");
  wanted.plugin = text(said.plugin);
  wanted.plugin_argument = said.plugin_argument;
  if (said.listen_fd != -1) wanted.listen_fd = said.listen_fd;
  wanted.advertise = text(said.advertise);
  wanted.instance = said.instance;
  wanted.port_range = given.ports(said.port_first, said.port_last);
  take_what_was_said(said, given, wanted);
  if (!given.good()) return given.problem();
  if (Result<void> names = take_names(said, wanted); !names) return std::move(names).error();
  Result<void> credentials = take_credentials(said, secret, wanted.credentials);
  if (!credentials) return std::move(credentials).error();
  if (said.ignore_environment != 0) return wanted;
  Result<JoinOptions> whole = JoinOptions::from_environment(std::move(wanted));
  if (whole) take_what_was_said(said, given, *whole);
  return whole;
}

Result<muster_job*> join(const JoinOptions& options) {
  Result<Job> joined = Job::join(options);
  if (!joined) return std::move(joined).error();
  return std::make_unique<muster_job>(*std::move(joined)).release();
}

}  // namespace muster::c

static_assert(static_cast<int>(muster::Security::tls) == MUSTER_SECURITY_TLS);
static_assert(static_cast<int>(muster::LogLevel::debug) == MUSTER_LOG_DEBUG);

void muster_join_options_init_sized(muster_join_options* options, size_t struct_size) {
  muster::c::init_sized(options, struct_size,
                        muster_join_options{.rank = -1,
                                            .size = -1,
                                            .listen_fd = -1,
                                            .join_timeout = -1,
                                            .operation_timeout = -1,
                                            .heartbeat = -1});
}
