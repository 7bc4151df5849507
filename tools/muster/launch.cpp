#include "launch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_codes.hpp"

namespace muster::tool {
namespace {

/// How often to look whether a rank has joined while some process has ended without: nothing else
/// would tell.
constexpr Duration hurried_look = std::chrono::milliseconds{250};
constexpr int last_words_wait_ms = 1000;

std::optional<std::uint32_t> first_casualty(server::Server& server) {
  const auto row = server.first_casualty();
  return row ? std::optional(row->who.rank) : std::nullopt;
}

}  // namespace

Launch::Launch(LaunchOptions options, server::Server& server, JobEvents& events,
               const Signals& signals)
    : options_(std::move(options)),
      server_(server),
      events_(events),
      signals_(signals),
      ending_(options_.grace) {}

Launch::~Launch() {
  end_ranks(Step::kill);
  for (const auto& process : processes_) {
    if (!process.ended) ::waitpid(process.pid, nullptr, 0);
  }
}

Result<void> Launch::start() {
  SpawnOptions spawning{.command = options_.command,
                        .signal_mask = signals_.mask_before(),
                        .pipe_output = options_.prefix};
  for (std::uint32_t rank = 0; rank < options_.size; ++rank) {
    spawning.variables = options_.variables;
    spawning.variables.emplace_back("MUSTER_RANK", std::to_string(rank));
    spawning.own_input = rank == 0;
    auto process = spawn(spawning);
    if (!process) return process.error();
    processes_.push_back({.pid = process->pid});
    const OutputPrefix lines(fmt::format("[{}] ", rank));
    if (process->out) streams_.push_back({std::move(process->out), lines, &out_});
    if (process->err) streams_.push_back({std::move(process->err), lines, &err_});
  }
  return {};
}

int Launch::wait() {
  while (!done()) poll_once();
  if (!ending_ranks_) casualty_ = first_casualty(server_);
  Verdict all = verdict(ends_, casualty_, ending_.signal());
  // Ranks that all end with 0 do not make a failed job a good one.
  if (all.exit_code == exit_ok && failure_) {
    all = {failure_->exit_code, "the job failed: " + failure_->reason};
  }
  err_.pending() += summary(ends_, all);
  err_.write_all(last_words_wait_ms);
  return all.exit_code;
}

/// All is said, too; unless the user has no patience for that.
bool Launch::done() const {
  if (!all_ended()) return false;
  if (ending_.signal()) return true;
  return streams_.empty() && out_.empty() && err_.empty();
}

int Launch::poll_timeout_ms(TimePoint now) const {
  // What ended ranks have left in their pipes is there to be read, now.
  if (all_ended() && !streams_.empty() && !out_.full() && !err_.full()) return 0;
  std::optional<TimePoint> next = ending_.next_deadline();
  if (gathering_) next = std::min(next.value_or(next_look_), next_look_);
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void Launch::poll_once() {
  const auto reading = [](int fd, bool wanted) {
    return pollfd{.fd = wanted ? fd : -1, .events = POLLIN, .revents = 0};
  };
  std::vector<pollfd> polled{reading(signals_.fd(), true), reading(events_.fd(), true)};
  for (const Output* output : {&out_, &err_}) {
    polled.push_back({.fd = output->empty() ? -1 : output->fd(), .events = POLLOUT, .revents = 0});
  }
  const std::size_t first_stream = polled.size();
  for (const auto& stream : streams_) {
    polled.push_back(reading(stream.from.get(), !stream.to->full()));
  }
  ::poll(polled.data(), polled.size(), poll_timeout_ms(Clock::now()));

  const TimePoint now = Clock::now();
  if (polled[1].revents != 0) on_events(now);
  if (polled[0].revents != 0) on_signals(now);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const bool last_words = all_ended() && !streams_[i].to->full();
    if (polled[first_stream + i].revents != 0 || last_words) read(streams_[i]);
  }
  std::erase_if(streams_, [](const Stream& stream) { return !stream.from; });
  look_at_gathering(now);
  end_ranks(ending_.due(now));
  out_.write_some();
  err_.write_some();
  if (out_.error() != 0 && !ending_.signal()) {
    if (out_.error() != EPIPE) {
      say(fmt::format("cannot write the ranks' output: {}", std::strerror(out_.error())));
    }
    interrupt(SIGPIPE, now);
  }
}

void Launch::on_signals(TimePoint now) {
  for (const int signal : signals_.read()) {
    if (signal == SIGCHLD) {
      reap_ended(now);
    } else {
      interrupt(signal, now);
    }
  }
}

void Launch::on_events(TimePoint now) {
  for (const auto& event : events_.take()) {
    if (!std::holds_alternative<server::Ended>(event)) gathering_ = false;
    if (const auto* doomed = std::get_if<server::Doomed>(&event)) {
      ending_.failed(now);
      const Failure& failure = doomed->failure;
      failure_ = failure;
      const std::string advice = failure.advice.empty() ? "" : " (" + failure.advice + ")";
      if (!ending_.signal()) {
        say(fmt::format("job '{}' failed: {}{}", options_.job, failure.reason, advice));
      }
    }
  }
}

void Launch::interrupt(int signal, TimePoint now) {
  const bool first = !ending_.signal();
  ending_.interrupted(signal, now);
  if (!first) return;
  const std::string which = fmt::format("interrupted by signal {} ({})", signal, strsignal(signal));
  say(which + ": ending the ranks; a second signal kills them at once");
  server_.doom({.code = Code::rank_failed,
                .reason = "muster run was " + which,
                .exit_code = exit_by_signal(signal)});
}

void Launch::reap_ended(TimePoint now) {
  for (std::uint32_t rank = 0; rank < processes_.size(); ++rank) {
    auto& process = processes_[rank];
    if (process.ended) continue;
    process.ended = reap(process.pid);
    if (!process.ended) continue;
    ends_.push_back({.rank = rank, .pid = process.pid, .how = *process.ended});
    const bool others_go_on = options_.others_go_on && !gathering_;
    if (process.ended->code() != exit_ok && !others_go_on) ending_.failed(now);
    next_look_ = now;
  }
}

void Launch::read(Stream& stream) {
  std::array<char, 64U << 10> bytes{};
  const ssize_t got = ::read(stream.from.get(), bytes.data(), bytes.size());
  if (got > 0) {
    stream.lines.take({bytes.data(), static_cast<std::size_t>(got)}, stream.to->pending());
    return;
  }
  // A child of the rank may hold the pipe for ever: when all ranks have ended, what is in it
  // counts.
  if (got == 0 || all_ended()) {
    stream.lines.finish(stream.to->pending());
    stream.from.reset();
  }
}

void Launch::look_at_gathering(TimePoint now) {
  if (!gathering_ || now < next_look_ || all_ended()) return;
  const JobStatus status = server_.status();
  if (auto failure = never_coming(status, processes_, options_.host)) {
    server_.doom(*std::move(failure));
    gathering_ = false;
    return;
  }
  const auto missing = missing_ranks(status, processes_.size());
  // Processes end and none has ever joined: the command knows nothing of Muster.
  const bool no_job = missing.size() == processes_.size() && !ends_.empty();
  if (progress_.due(missing, now) && !options_.quiet && !no_job) {
    say(progress_line(status, processes_, now - start_));
  }
  next_look_ = ends_.empty() ? progress_.next_look() : now + hurried_look;
}

void Launch::end_ranks(Step step) {
  if (step == Step::none) return;
  // Who is lost from here on is so because of us.
  if (!ending_ranks_) casualty_ = first_casualty(server_);
  ending_ranks_ = true;
  for (const auto& process : processes_) {
    if (!process.ended) ::kill(process.pid, step == Step::kill ? SIGKILL : SIGTERM);
  }
}

void Launch::say(const std::string& line) {
  err_.pending() += "muster run: " + line + "\n";
}

}  // namespace muster::tool
