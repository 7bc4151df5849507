#include "job_host.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <utility>

#include "exit_codes.hpp"
#include "job/protect.hpp"
#include "job_file.hpp"
#include "net/listen.hpp"
#include "standard_output.hpp"

namespace muster::tool {
namespace {

/// After the job has failed its ranks have so long to fetch the reason.
constexpr Duration farewell = std::chrono::seconds{5};

int left_ms(TimePoint end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

const char* how_it_ended(State state) {
  return state == State::failed ? "failed" : "was lost: it ended without leaving";
}

}  // namespace

int exit_code(const Outcome& outcome) {
  if (outcome.signal) return exit_by_signal(*outcome.signal);
  if (outcome.casualty) return exit_failed;
  if (!outcome.failure) return exit_ok;
  return outcome.failure->exit_code == exit_fail_closed ? exit_fail_closed : exit_failed;
}

JobHost::~JobHost() {
  if (hosting_.listener && !hosting_.keeps_socket_file)
    net::remove_socket_file(hosting_.listener.get());
}

Result<Outcome> JobHost::serve_one(const server::CoreOptions& core) {
  auto events = JobEvents::make();
  if (!events) return events.error();
  const auto job_file = OwnJobFile::write(core.job, hosting_.url);
  if (!job_file) return job_file.error();
  server::ServeOptions serving{
      .listen_fd = net::Fd(::fcntl(hosting_.listener.get(), F_DUPFD_CLOEXEC, 0)),
      .core = core,
      .log = hosting_.log,
      .on_event = [queue = *events](const server::JobEvent& event) { queue->push(event); }};
  if (auto sworn = protect(serving, hosting_.credentials); !sworn) return sworn.error();
  auto server = server::Server::start(std::move(serving));
  if (!server) return server.error();
  if (auto said = announce(); !said) return said.error();
  Outcome outcome = wait(**server, **events);
  if (!outcome.failure && !outcome.signal) outcome.casualty = (*server)->first_casualty();
  (*server)->stop(std::chrono::seconds{1});
  if (outcome.failure && !outcome.signal) {
    fmt::print(stderr, "{}: job '{}' failed: {}\n", hosting_.command, core.job,
               outcome.failure->reason);
  }
  if (outcome.casualty) {
    fmt::print(stderr, "{}: job '{}' failed: {} {}\n", hosting_.command, core.job,
               outcome.casualty->who.text(), how_it_ended(outcome.casualty->state));
  }
  return outcome;
}

Result<void> JobHost::announce() {
  if (hosting_.announcement.empty()) return {};
  put(std::exchange(hosting_.announcement, "") + "\n");
  return flush_output();
}

void JobHost::interrupt(server::Server& server, int signal) const {
  server.doom({.code = Code::rank_failed,
               .reason = fmt::format("{} was interrupted by signal {} ({})", hosting_.command,
                                     signal, strsignal(signal)),
               .exit_code = exit_by_signal(signal)});
}

Outcome JobHost::wait(server::Server& server, JobEvents& events) {
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
      interrupt(server, signal);
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

}  // namespace muster::tool
