#include <fmt/format.h>
#include <sys/socket.h>

#include <muster/f332.hpp>

#include "base/host.hpp"
#include "base/standard_descriptors.hpp"
#include "client/core/rank_calls.hpp"
#include "client/driver/link.hpp"
#include "group/server_group.hpp"
#include "job/check_options.hpp"
#include "job/job_impl.hpp"
#include "job/protect.hpp"
#include "job/serve.hpp"
#include "job/use_plugin.hpp"
#include "job/use_unique_id.hpp"
#include "net/advertise.hpp"
#include "net/fd.hpp"
#include "store/remote_store.hpp"

namespace muster {
namespace {

client::LinkOptions link_options(const JoinOptions& options,
                                 std::shared_ptr<FailureBoard> failures) {
  client::LinkOptions link;
  link.hello.role = options.assign_rank ? wire::Role::assigned : wire::Role::rank;
  link.hello.job = options.job_id;
  link.hello.incarnation = options.incarnation.value_or(Incarnation{});
  link.hello.epoch = options.epoch;
  link.hello.size = *options.size;
  link.hello.host = host_name();
  link.hello.pid = process_id();
  if (options.rank) link.hello.ranks = {{.first = *options.rank, .count = 1}};
  link.beats = options.heartbeat > Duration{};
  link.operation_timeout = options.operation_timeout;
  link.on_failure = [failures = std::move(failures)](const Failure& failure) {
    failures->report(failure);
  };
  return link;
}

/// From here on a socket handed in is owned, whatever happens.
net::Fd take_listener(const JoinOptions& options) {
  net::Fd listener(options.listen_fd.value_or(-1));
  if (listener && !serves(options)) {
    options.log(LogLevel::warning,
                "listen_fd was given, but this rank does not serve: the socket is closed");
    listener.reset();
  }
  return listener;
}

/// What others are told of where `server` can be reached.
std::string told_url(const JoinOptions& options, const server::Server& server) {
  if (options.unique_id) return options.unique_id->url();
  const Result<net::Url> bound = net::Url::parse(server.url());
  const Result<net::Url> told = bound ? net::advertised(*bound, options.advertise) : bound;
  return told ? told->text() : server.url();
}

/// Opens the link: through this process if the server is in it.
Result<std::shared_ptr<client::Caller>> open_link(const JoinOptions& options, const net::Url& url,
                                                  server::Server* server,
                                                  std::shared_ptr<FailureBoard> failures,
                                                  TimePoint deadline) {
  client::LinkOptions link = link_options(options, std::move(failures));
  if (server == nullptr) {
    if (Result<void> sworn = protect(link, options.credentials); !sworn) {
      return std::move(sworn).error();
    }
    return client::connect_link(url, std::move(link), deadline);
  }
  Result<net::Fd> socket = server->connect_in_process();
  if (!socket) return std::move(socket).error();
  link.beats = false;  // both ends live and die together
  return client::adopt_link(*std::move(socket), std::move(link), deadline);
}

/// For who never wrote the address that did not work.
Error explained(Error error, const JoinOptions& options, TimePoint begun) {
  error.elapsed = Clock::now() - begun;
  const bool over_the_address = error.code == Code::unreachable || error.code == Code::system ||
                                error.code == Code::protocol || error.code == Code::refused;
  if (!over_the_address || options.url_origin.empty()) return error;
  if (!error.advice.empty()) error.advice += "; ";
  error.advice += fmt::format(
      "{} was made from {}: set MUSTER_URL, the same for all ranks, if the "
      "job is to be served elsewhere",
      options.url, options.url_origin);
  return error;
}

}  // namespace

Result<Job> Job::join(JoinOptions options) {
  hold_standard_descriptors();
  const TimePoint begun = Clock::now();
  const TimePoint deadline = Deadline::in(options.join_timeout).resolve(begun, {});
  if (!options.log) options.log = log_to_stderr();
  auto impl = std::make_unique<Impl>();
  const Result<void> brought = use_plugin(options, impl->plugin, deadline);
  net::Fd listener = take_listener(options);
  if (!brought) return explained(brought.error(), options, begun);
  if (Result<void> used = use_unique_id(options, listener); !used) return std::move(used).error();
  const Result<net::Url> url = check_options(options);
  if (!url) return url.error();
  if (Result<void> sound = f332::self_test(); !sound) return std::move(sound).error();

  impl->log = options.log;
  impl->url = url->text();
  if (serves(options)) {
    auto server = serve(options, *url, std::move(listener), deadline);
    if (!server) return explained(std::move(server).error(), options, begun);
    impl->server = *std::move(server);
    impl->url = told_url(options, *impl->server);
  }
  auto link = open_link(options, *url, impl->server.get(), impl->failures, deadline);
  if (!link) return explained(std::move(link).error(), options, begun);
  impl->caller = *std::move(link);
  if (options.until == Until::all_joined) {
    Result<void> all_in = client::wait_for_all(*impl->caller, deadline);
    if (!all_in) return explained(std::move(all_in).error(), options, begun);
  } else {
    impl->caller->forget(client::muster_ticket);
  }
  impl->world = make_world_group(impl->caller);
  impl->store = make_remote_store(impl->caller);
  Job job(std::move(impl));
  if (options.contract) {
    auto agreement = job.agree(*options.contract, Deadline::at(deadline));
    if (!agreement) return explained(std::move(agreement).error(), options, begun);
  }
  return job;
}

}  // namespace muster
