// Of every system function the 1st, 2nd, 3rd ... call fails, in a process of its own, until one run
// has no such call left. Whatever fails: no crash, no hang, nothing left open, and either all went
// well or an error says why. Then the same process does it all once more, undisturbed.

#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <mutex>
#include <netdb.h>
#include <sys/resource.h>
#include <thread>
#include <uv.h>

#include <muster/job.hpp>

#include "net/wait.hpp"
#include "nth/faults.hpp"
#include "server/driver/server.hpp"
#include "support/ports.hpp"
#include "support/proc_fs.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace muster::nth {
namespace {

using namespace std::chrono_literals;
using support::Ended;
using support::Process;
using support::tell;

/// What one run of a scenario left: errors of its ranks, lines of its log.
struct Outcome {
  std::string errors;
  std::string log;
  bool well() const { return errors.empty(); }
};

/// Collects what several threads say.
class Notes {
 public:
  void add(const Result<void>& result) {
    if (!result) add(outcome_.errors, result.error().text());
  }
  LogSink sink() {
    return [this](LogLevel, std::string_view line) { add(outcome_.log, line); };
  }
  Outcome outcome() const { return outcome_; }

 private:
  void add(std::string& to, std::string_view line) {
    const std::lock_guard lock(mutex_);
    to += line;
    to += '\n';
  }

  std::mutex mutex_;
  Outcome outcome_;
};

/// One rank's life.
Result<void> live(const JoinOptions& options) {
  Result<Job> job = Job::join(options);
  if (!job) return std::move(job).error();
  const std::string own = std::to_string(*options.rank);
  const std::string other = std::to_string(1 - *options.rank);
  if (auto set = job->store().set(own, as_bytes("value")); !set) return set;
  if (auto got = job->store().wait_get(other); !got) return std::move(got).error();
  if (auto barrier = job->world().barrier(); !barrier) return barrier;
  return job->leave();
}

/// A job of two ranks in this process. `begin` is called when all is prepared.
Outcome two_ranks(const std::string& url, Duration time, const std::function<void()>& begin) {
  Notes notes;
  const auto rank = [&](std::uint32_t number) {
    JoinOptions options{.url = url, .rank = number, .size = 2};
    options.join_timeout = time;
    options.operation_timeout = time;
    options.log = notes.sink();
    notes.add(live(options));
  };
  std::promise<void> begun;
  std::thread rank_1([&] {
    begun.get_future().wait();
    rank(1);
  });
  begin();
  begun.set_value();
  rank(0);
  rank_1.join();
  return notes.outcome();
}

/// A server by itself, and a tool that comes to it.
Outcome served_store(const std::string& url, Duration time, const std::function<void()>& begin) {
  Notes notes;
  begin();
  const auto all = [&]() -> Result<void> {
    server::ServeOptions options{.url = net::Url::parse(url).value(),
                                 .bind_by = Clock::now() + time};
    options.core = {.job = "demo", .incarnation = {7}, .size = 1};
    options.log = notes.sink();
    auto server = server::Server::start(std::move(options));
    if (!server) return std::move(server).error();
    auto store = connect_store((*server)->url(), Deadline::in(time));
    if (!store) return std::move(store).error();
    if (auto set = (*store)->set("key", as_bytes("value")); !set) return set;
    (*server)->stop(time);
    return {};
  };
  notes.add(all());
  return notes.outcome();
}

using Scenario = std::function<Outcome(Duration time, const std::function<void()>& begin)>;

/// What a process holds.
struct Held {
  std::size_t descriptors = 0;
  std::size_t threads = 0;
  bool operator==(const Held&) const = default;
  std::string text() const { return fmt::format("{} and {}", descriptors, threads); }
};
Held held() {
  return {support::open_descriptors(::getpid()), support::threads(::getpid())};
}

/// Ended threads, and looking up names, take a moment to go.
bool comes_to_hold(const Held& expected) {
  const TimePoint deadline = Clock::now() + 10s;
  while (held() != expected && Clock::now() < deadline) net::pause_until(Clock::now() + 1ms);
  return held() == expected;
}

/// libuv makes one pipe a process, and ends the process if it can't. The server looks whether there
/// is room before (see DescriptorsRunOut); that one call must not fail behind its back.
void let_libuv_have_its_pipe() {
  uv_loop_t loop;
  if (uv_loop_init(&loop) == 0) uv_loop_close(&loop);
}

constexpr int not_reached = 3;
constexpr int bad = 4;

bool explains(const std::string& said, const Fault& fault) {
  if (said.find(reason(fault)) != said.npos) return true;
  return !fault.other_end.empty() && said.find(fault.other_end) != said.npos;
}

/// libuv 1.44 forgets its epoll when a loop cannot have its pipe or its eventfd. The server looks
/// whether there is room for them before, so that takes a race.
std::size_t kept_by_libuv(const Fault& fault, const Outcome& outcome) {
  const bool forgets = fault.call == Call::pipe2 || fault.call == Call::eventfd;
  return forgets && outcome.errors.find("server's loop") != std::string::npos ? 1 : 0;
}

/// In a child.
int run_with(const Fault& fault, int nth, const Scenario& scenario) {
  let_libuv_have_its_pipe();
  Held expected = held();
  const Outcome faulty = scenario(1s, [&] { arm(fault, nth); });
  const bool reached = disarm();
  const std::string said = faulty.errors + faulty.log;
  tell(said);
  if (!faulty.well() && !reached) return bad;
  if (!faulty.well() && !explains(said, fault)) {
    tell("no error says: " + reason(fault));
    return bad;
  }
  const Outcome undisturbed = scenario(60s, [] {});
  if (!undisturbed.well()) {
    tell("undisturbed: " + undisturbed.errors);
    return bad;
  }
  // What lives as long as the process: the watcher of links, with two descriptors and a thread.
  expected.descriptors += 2 + kept_by_libuv(fault, faulty);
  expected.threads += 1;
  if (!comes_to_hold(expected)) {
    tell(fmt::format("descriptors and threads: {}, expected {}", held().text(), expected.text()));
    return bad;
  }
  return reached ? 0 : not_reached;
}

/// Whether the fault was reached.
bool try_one(const Fault& fault, int nth, const Scenario& scenario) {
  Process child = Process::fork([&] { return run_with(fault, nth, scenario); });
  const Ended ended = child.wait();
  EXPECT_TRUE(ended.in_time && (ended.exit_code == 0 || ended.exit_code == not_reached))
      << "call " << nth << ": " << ended;
  return ended.exit_code == 0;
}

void fail_each(const Fault& fault, const Scenario& scenario) {
  constexpr int calls_max = 400;
  int nth = 1;
  while (nth < calls_max && try_one(fault, nth, scenario)) ++nth;
  if (testing::Test::HasFailure()) return;
  EXPECT_GT(nth, 1) << "this function is not called at all";
  EXPECT_LT(nth, calls_max);
}

struct Named {
  const char* name;
  Fault fault;

  friend std::ostream& operator<<(std::ostream& out, const Named& named) {
    return out << named.name;
  }
};

class Nth : public testing::TestWithParam<Named> {};

TEST_P(Nth, in_a_job_of_two) {
  const support::Port port = support::closed_port();
  // A name, where looking it up is what fails.
  const Call call = GetParam().fault.call;
  const bool by_name = call == Call::getaddrinfo || call == Call::pthread_create;
  std::string url = port.url;
  if (by_name) url = "tcp://localhost" + url.substr(url.rfind(':'));
  fail_each(GetParam().fault,
            [url](Duration time, const auto& begin) { return two_ranks(url, time, begin); });
}

constexpr Named in_jobs[] = {
    {"socket_EMFILE", {Call::socket, EMFILE}},
    {"socket_ENOBUFS", {Call::socket, ENOBUFS}},
    {"bind_EADDRINUSE", {Call::bind, EADDRINUSE}},
    {"listen_EADDRINUSE", {Call::listen, EADDRINUSE}},
    {"accept4_EMFILE", {Call::accept4, EMFILE}},
    {"accept4_ENOMEM", {Call::accept4, ENOMEM}},
    {"accept4_EINTR", {Call::accept4, EINTR}},
    {"accept4_ECONNABORTED", {Call::accept4, ECONNABORTED}},
    {"connect_ECONNREFUSED", {Call::connect, ECONNREFUSED}},
    {"connect_EADDRNOTAVAIL", {Call::connect, EADDRNOTAVAIL}},
    {"recv_EINTR", {Call::recv, EINTR}},
    {"recv_ECONNRESET", {Call::recv, ECONNRESET}},
    {"recv_ENOMEM", {Call::recv, ENOMEM, "Connection reset by peer"}},
    {"read_EINTR", {Call::read, EINTR}},
    {"send_EINTR", {Call::send, EINTR}},
    {"send_ECONNRESET", {Call::send, ECONNRESET}},
    {"sendmsg_EINTR", {Call::sendmsg, EINTR}},
    {"sendmsg_EPIPE", {Call::sendmsg, EPIPE}},
    {"sendmsg_ENOBUFS", {Call::sendmsg, ENOBUFS}},
    {"epoll_create1_EMFILE", {Call::epoll_create1, EMFILE}},
    {"epoll_ctl_ENOSPC", {Call::epoll_ctl, ENOSPC}},
    {"epoll_wait_EINTR", {Call::epoll_wait, EINTR}},
    {"eventfd_EMFILE", {Call::eventfd, EMFILE}},
    {"pipe2_EMFILE", {Call::pipe2, EMFILE}},
    {"open_EMFILE", {Call::open, EMFILE}},
    {"socketpair_EMFILE", {Call::socketpair, EMFILE}},
    {"setsockopt_ENOBUFS", {Call::setsockopt, ENOBUFS}},
    {"getsockname_ENOBUFS", {Call::getsockname, ENOBUFS}},
    {"getaddrinfo_EAGAIN", {Call::getaddrinfo, EAI_AGAIN}},
    {"getaddrinfo_EMEMORY", {Call::getaddrinfo, EAI_MEMORY}},
    {"pthread_create_EAGAIN", {Call::pthread_create, EAGAIN}},
};
INSTANTIATE_TEST_SUITE_P(Call, Nth, testing::ValuesIn(in_jobs),
                         [](const auto& named) { return std::string(named.param.name); });

class NthServed : public testing::TestWithParam<Named> {};

TEST_P(NthServed, on_a_unix_socket) {
  const support::TempDir dir;
  const std::string url = dir.unix_url();
  fail_each(GetParam().fault, [&](Duration time, const auto& begin) {
    Outcome outcome = served_store(url, time, begin);
    if (!std::filesystem::is_empty(dir.path())) outcome.errors += "the socket's file is left\n";
    return outcome;
  });
}

constexpr Named in_servers[] = {
    {"socket_EMFILE", {Call::socket, EMFILE}},
    {"bind_EACCES", {Call::bind, EACCES}},
    {"listen_ENOBUFS", {Call::listen, ENOBUFS}},
    {"accept4_ENFILE", {Call::accept4, ENFILE}},
    {"connect_EAGAIN", {Call::connect, EAGAIN}},
    {"recv_ECONNRESET", {Call::recv, ECONNRESET}},
    {"sendmsg_ECONNRESET", {Call::sendmsg, ECONNRESET, "closed at the other end"}},
    {"epoll_create1_EMFILE", {Call::epoll_create1, EMFILE}},
    {"epoll_ctl_ENOMEM", {Call::epoll_ctl, ENOMEM}},
    {"eventfd_ENFILE", {Call::eventfd, ENFILE}},
    {"pipe2_ENFILE", {Call::pipe2, ENFILE}},
    {"open_ENFILE", {Call::open, ENFILE}},
    {"pthread_create_EAGAIN", {Call::pthread_create, EAGAIN}},
};
INSTANTIATE_TEST_SUITE_P(Call, NthServed, testing::ValuesIn(in_servers),
                         [](const auto& named) { return std::string(named.param.name); });

/// All calls from some point on fail: there is room for `count` descriptors more.
int run_with_room_for(int count, const std::string& url) {
  const int lowest = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(lowest);
  const auto limit = static_cast<rlim_t>(lowest + count);
  const rlimit both{.rlim_cur = limit, .rlim_max = limit};
  if (::setrlimit(RLIMIT_NOFILE, &both) != 0) return bad;
  const Outcome outcome = served_store(url, 2s, [] {});
  tell(outcome.errors + outcome.log);
  if (outcome.well()) return 0;
  const std::string said = outcome.errors + outcome.log;
  return said.find("open files") == said.npos ? bad : not_reached;
}

TEST(DescriptorsRunOut, at_every_point_of_a_server_s_life) {
  int count = 0;
  for (bool well = false; !well && count < 64; ++count) {
    const support::TempDir dir;  // made here, since removing it takes descriptors
    Process child = Process::fork([&] { return run_with_room_for(count, dir.unix_url()); });
    const Ended ended = child.wait();
    ASSERT_TRUE(ended.in_time && (ended.exit_code == 0 || ended.exit_code == not_reached))
        << "with room for " << count << " descriptors: " << ended;
    well = ended.exit_code == 0;
  }
  EXPECT_GT(count, 6);
  EXPECT_LT(count, 64);
}

}  // namespace
}  // namespace muster::nth
