#include "serve.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/limits.hpp"
#include "exit_codes.hpp"
#include "job/protect.hpp"
#include "job_events.hpp"
#include "job_file.hpp"
#include "net/address.hpp"
#include "net/listen.hpp"
#include "serving.hpp"
#include "signals.hpp"

namespace muster::tool {
namespace {

/// For the look-up of an address of this very host, during which no signal is seen.
constexpr auto name_time = std::chrono::seconds{3};

constexpr const char* footer = R"(
The first line on the standard output is the URL that ranks put into MUSTER_URL, with the port that
the system picked for port 0; they also need MUSTER_SERVE=external, MUSTER_RANK and MUSTER_SIZE.

Examples:
  muster serve tcp://10.0.0.5:4711 --size 16
  muster serve unix:///run/user/1000/job --job demo --keep

Exit codes:
  0    every rank has left
  1    the job failed (70 if its ranks do not agree), or it could not be served
  2    usage
  128 + signal, if a signal ended it (130: Ctrl-C)
)";

/// After the job has failed its ranks have so long to fetch the reason.
constexpr Duration farewell = std::chrono::seconds{5};

struct ServeCommand {
  std::string url;
  std::uint32_t size = 0;
  JobNames names;
  bool keep = false;
};

int left_ms(TimePoint end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

/// How one job ended.
struct Outcome {
  std::optional<Failure> failure;
  std::optional<int> signal;
  std::optional<RosterRow> casualty;  ///< went without a word, when nobody was left to be told
};

const char* how_it_ended(State state) {
  return state == State::failed ? "failed" : "was lost: it ended without leaving";
}

/// Resource. Serves one job after the other on one listening socket.
class Host {
 public:
  Host(ServeCommand options, LogSink log, Signals signals)
      : options_(std::move(options)), log_(std::move(log)), signals_(std::move(signals)) {}
  ~Host() {
    if (listener_) net::remove_socket_file(listener_.get());
  }

  Result<void> listen();
  Result<Outcome> serve_one();

 private:
  std::string url() const { return bound_.text(); }
  void announce();
  Outcome wait(server::Server& server, JobEvents& events);

  ServeCommand options_;
  LogSink log_;
  Signals signals_;
  net::Fd listener_;
  net::Url bound_;
  bool announced_ = false;
};

Result<void> Host::listen() {
  auto url = net::Url::parse(options_.url);
  if (!url) return url.error();
  auto listener = net::listen(*url, Clock::now() + name_time);
  if (!listener) return listener.error();
  auto bound = net::bound_url(listener->get());
  if (!bound) return bound.error();
  listener_ = *std::move(listener);
  bound_ = *std::move(bound);
  return {};
}

Result<Outcome> Host::serve_one() {
  auto core = core_options(options_.names, options_.size);
  if (!core) return core.error();
  auto events = JobEvents::make();
  if (!events) return events.error();
  const auto job_file = OwnJobFile::write(core->job, url());
  if (!job_file) return job_file.error();
  server::ServeOptions serving{
      .listen_fd = net::Fd(::fcntl(listener_.get(), F_DUPFD_CLOEXEC, 0)),
      .core = *core,
      .log = log_,
      .on_event = [queue = *events](const server::JobEvent& event) { queue->push(event); }};
  if (auto sworn = protect(serving, *credentials()); !sworn) return std::move(sworn).error();
  auto server = server::Server::start(std::move(serving));
  if (!server) return server.error();
  announce();
  Outcome outcome = wait(**server, **events);
  if (!outcome.failure && !outcome.signal) outcome.casualty = (*server)->first_casualty();
  (*server)->stop(std::chrono::seconds{1});
  if (outcome.failure && !outcome.signal) {
    fmt::print(stderr, "muster serve: job '{}' failed: {}\n", core->job, outcome.failure->reason);
  }
  if (outcome.casualty) {
    fmt::print(stderr, "muster serve: job '{}' failed: {} {}\n", core->job,
               outcome.casualty->who.text(), how_it_ended(outcome.casualty->state));
  }
  return outcome;
}

/// Says where it serves, once the first job can be joined and found.
void Host::announce() {
  if (std::exchange(announced_, true)) return;
  fmt::print("{}\n", url());
  std::fflush(stdout);
}

Outcome Host::wait(server::Server& server, JobEvents& events) {
  Outcome outcome;
  std::optional<TimePoint> end;
  while (!end || Clock::now() < *end) {
    pollfd polled[] = {{.fd = signals_.fd(), .events = POLLIN, .revents = 0},
                       {.fd = events.fd(), .events = POLLIN, .revents = 0}};
    ::poll(polled, 2, end ? left_ms(*end) : -1);
    for (const int signal : signals_.read()) {
      if (signal == SIGCHLD) continue;
      if (outcome.signal) return outcome;  // no patience for the farewell
      outcome.signal = signal;
      server.doom({.code = Code::rank_failed,
                   .reason = fmt::format("muster serve was interrupted by signal {} ({})", signal,
                                         strsignal(signal)),
                   .exit_code = exit_by_signal(signal)});
      end = Clock::now() + farewell;
      if (server.status().joined == 0) return outcome;
    }
    for (const auto& event : events.take()) {
      if (const auto* doomed = std::get_if<server::Doomed>(&event)) {
        outcome.failure = doomed->failure;
        end = Clock::now() + farewell;
      }
      if (std::holds_alternative<server::Ended>(event)) return outcome;
    }
  }
  return outcome;
}

int exit_code(const Outcome& outcome) {
  if (outcome.signal) return exit_by_signal(*outcome.signal);
  if (outcome.casualty) return exit_failed;
  if (!outcome.failure) return exit_ok;
  return outcome.failure->exit_code == exit_fail_closed ? exit_fail_closed : exit_failed;
}

int serve(ServeCommand options) {
  options.names.or_environment();
  const bool keep = options.keep;
  auto log = log_from_environment(LogLevel::warning);
  if (!log) return complain(log.error());
  if (!credentials()) return complain(credentials().error());
  auto signals = Signals::take();
  if (!signals) return complain(signals.error());
  Host host(std::move(options), *std::move(log), *std::move(signals));
  if (auto listening = host.listen(); !listening) return complain(listening.error());
  while (true) {
    const auto outcome = host.serve_one();
    if (!outcome) return complain(outcome.error());
    if (!keep || outcome->signal) return exit_code(*outcome);
  }
}

}  // namespace

void add_serve(CLI::App& app, Command& command) {
  auto options = std::make_shared<ServeCommand>();
  CLI::App* sub = app.add_subcommand("serve", "Serve a job whose ranks are started elsewhere");
  sub->footer(footer);
  sub->add_option("url", options->url,
                  "Where to listen: tcp://host:port, tcp6://[address]:port, unix:///path")
      ->required()
      ->type_name("URL");
  sub->add_option("--size", options->size, "How many ranks there are; else the first one says it")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, limits::ranks_max).description(""));
  sub->add_option("--job", options->names.job, "The job's name (MUSTER_JOB; else a random one)")
      ->type_name("ID");
  sub->add_option("--epoch", options->names.epoch,
                  "The durable state to resume (MUSTER_EPOCH; else a new one)")
      ->type_name("HEX");
  sub->add_flag("--keep", options->keep,
                "When the job has ended, clear everything and wait for the next");
  sub->callback([options, &command] { command = [options] { return serve(*options); }; });
}

}  // namespace muster::tool
