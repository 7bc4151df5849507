#include "job/serve.hpp"

#include <fmt/format.h>

#include "base/host.hpp"
#include "base/usage_error.hpp"
#include "job/protect.hpp"

namespace muster {
namespace {

bool is_local(std::string_view url) {
  return url.starts_with("unix:") || url.starts_with("tcp://127.") ||
         url.starts_with("tcp6://[::1]");
}

}  // namespace

Result<std::unique_ptr<server::Server>> serve(const JoinOptions& options, const net::Url& url,
                                              net::Fd listen_fd, TimePoint deadline) {
  server::ServeOptions serving;
  const bool listening_given = static_cast<bool>(listen_fd);
  serving.url = url;
  serving.bind_by = deadline;
  serving.listen_fd = std::move(listen_fd);
  serving.log = options.log;
  serving.core = {.job = options.job_id.empty() ? random_job_id() : options.job_id,
                  .incarnation = options.incarnation ? *options.incarnation : Incarnation::random(),
                  .epoch = options.epoch ? *options.epoch : Epoch::random(),
                  .size = *options.size,
                  .server_rank = *options.rank,
                  .host = host_name(),
                  .pid = process_id(),
                  .on_loss = options.on_loss,
                  .heartbeat = options.heartbeat};
  if (options.unique_id) serving.core.version0_magic = options.unique_id->version0_magic();
  if (Result<void> sworn = protect(serving, options.credentials); !sworn) {
    return std::move(sworn).error();
  }
  const bool open_to_all = !serving.core.secret && !serving.tls;
  auto server = server::Server::start(std::move(serving));
  if (!server && options.listen_fd) {
    return named("listen_fd (MUSTER_LISTEN_FD)", std::move(server).error());
  }
  if (!server && !listening_given) {
    Error error = std::move(server).error();
    if (!error.advice.empty()) error.advice += "; ";
    error.advice += "if the job's server runs there already, say MUSTER_SERVE=external";
    return error;
  }
  if (server && open_to_all && options.log && !is_local((*server)->url())) {
    options.log(LogLevel::warning,
                fmt::format("job served at {} without a secret: whoever reaches that address can "
                            "join",
                            (*server)->url()));
  }
  return server;
}

}  // namespace muster
