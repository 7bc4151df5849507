#include "client/driver/watcher.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include <muster/deadline.hpp>

#include "base/fork.hpp"
#include "base/no_signals.hpp"
#include "base/pulse.hpp"
#include "net/fd.hpp"
#include "net/wait.hpp"

namespace muster::client {
namespace {

Error refused(int error, std::string advice) {
  return Error{.code = Code::system,
               .phase = Phase::local,
               .what = "cannot watch the link to the server: " + net::reason(error),
               .advice = std::move(advice)};
}

class EpollWatcher final : public Watcher {
 public:
  EpollWatcher()
      : epoll_(epoll_create1(EPOLL_CLOEXEC)), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  bool here() const { return home_.here(); }

  /// For a forked child, to which the rest of it is lost: its thread is not there.
  void close_descriptors() {
    epoll_.reset();
    bell_.reset();
  }

  Result<void> start() {
    if (!epoll_ || !bell_) return refused(errno, "raise the limit of open files (ulimit -n)");
    if (const int error = control(EPOLL_CTL_ADD, bell_.get(), EPOLLIN, bell_id); error != 0) {
      return refused(error, "raise fs.epoll.max_user_watches");
    }
    const int error = start_thread();
    if (error != 0) return refused(error, "raise the limit of processes (ulimit -u)");
    return {};
  }

  Result<std::uint64_t> watch(const std::shared_ptr<Watched>& link) override {
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = ++last_id_;
    const int error = control(EPOLL_CTL_ADD, link->watched_fd(), disarmed_events, id);
    if (error != 0) return refused(error, "raise fs.epoll.max_user_watches");
    links_.emplace(id,
                   Entry{.link = link, .fd = link->watched_fd(), .heartbeat = link->heartbeat()});
    heartbeat_ = shortest_heartbeat();
    ring();
    return id;
  }

  void busy(std::uint64_t id) override {
    const std::lock_guard lock(mutex_);
    const auto found = links_.find(id);
    if (found == links_.end() || found->second.state == State::ticking) return;
    if (found->second.state == State::armed) {
      control(EPOLL_CTL_MOD, found->second.fd, disarmed_events, id);
    }
    found->second.state = State::ticking;
    if (const auto link = found->second.link.lock()) link->settled = false;
    ring();
  }

  void unwatch(std::uint64_t id) override {
    const std::lock_guard lock(mutex_);
    const auto found = links_.find(id);
    if (found == links_.end()) return;
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
    links_.erase(found);
    heartbeat_ = shortest_heartbeat();
  }

 private:
  static constexpr std::uint64_t bell_id = 0;

  enum class State : std::uint8_t {
    ticking,  ///< looked at every `quiet`
    led,      ///< a caller reads it; the caller says busy() when it stops
    armed,    ///< epoll looks at it
  };
  struct Entry {
    std::weak_ptr<Watched> link;
    int fd = -1;
    Duration heartbeat{};
    State state = State::ticking;
    std::uint64_t calls = 0;
  };

  /// 0, or errno's number; changing what is watched already cannot fail.
  int control(int operation, int fd, std::uint32_t events, std::uint64_t id) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = id;
    return epoll_ctl(epoll_.get(), operation, fd, &event) == 0 ? 0 : errno;
  }

  void ring() {
    const std::uint64_t one = 1;
    // A full counter rings too.
    [[maybe_unused]] const ssize_t written = write(bell_.get(), &one, sizeof one);
  }

  /// 0, or errno's number.
  int start_thread() {
    try {
      const NoSignals none;
      std::thread([this] { run(); }).detach();  // taste: lives as long as the process
    } catch (const std::system_error& failed) {
      return failed.code().value();
    }
    return 0;
  }

  void run() {
    std::array<epoll_event, 64> events;
    TimePoint next_look = Clock::now();
    bool ticking = false;
    for (;;) {
      const Duration nap = ticking ? Duration{quiet} : Duration::max();
      const int count = epoll_wait(epoll_.get(), events.data(), events.size(), nap_ms(nap));
      for (int i = 0; i < count; ++i) {
        const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
        if (id != bell_id) {
          step(id);
        } else {
          hush();
          ticking = true;
        }
      }
      beat();
      if (!ticking || Clock::now() < next_look) continue;
      ticking = look();
      next_look = Clock::now() + quiet;
    }
  }

  /// Until beats are due at the latest, and `most`, as epoll takes it. The other side's beats are
  /// what wakes this thread as a rule: it waits a little longer for them.
  int nap_ms(Duration most) {
    const std::lock_guard lock(mutex_);
    if (heartbeat_ > Duration{}) {
      most = std::min(most, std::max(beaten_at_ + patience() - Clock::now(), Duration{}));
    }
    if (most == Duration::max()) return -1;
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(most).count());
  }
  Duration patience() const { return heartbeat_ + heartbeat_ / 4; }

  /// Of all links that beat; zero if none does.
  Duration shortest_heartbeat() const {
    Duration shortest{};
    for (const auto& [id, entry] : links_) {
      const Duration its = entry.heartbeat;
      if (its > Duration{} && (shortest == Duration{} || its < shortest)) shortest = its;
    }
    return shortest;
  }

  /// Has all links beat, unless they have just done so.
  void beat() {
    std::vector<std::shared_ptr<Watched>> beating;
    Duration awake{};
    {
      const std::lock_guard lock(mutex_);
      const TimePoint now = Clock::now();
      if (heartbeat_ == Duration{} || now < beaten_at_ + heartbeat_ / 2) return;
      beaten_at_ = now;
      awake = awake_.look(now, patience());
      for (const auto& [id, entry] : links_) {
        if (entry.heartbeat == Duration{}) continue;
        if (auto link = entry.link.lock()) beating.push_back(std::move(link));
      }
    }
    // Not under the mutex: it may call the application's failure handler.
    for (const auto& link : beating) link->beat(awake);
  }

  void hush() {
    std::uint64_t rings = 0;
    [[maybe_unused]] const ssize_t got = read(bell_.get(), &rings, sizeof rings);
  }

  /// Arms what has been quiet; true if some link has not been.
  bool look() {
    // Released after the mutex: the last reference to a link calls unwatch().
    std::vector<std::shared_ptr<Watched>> held;
    const std::lock_guard lock(mutex_);
    bool ticking = false;
    for (auto& [id, entry] : links_) {
      if (entry.state != State::ticking) continue;
      const auto& link = held.emplace_back(entry.link.lock());
      if (!link) continue;
      const std::uint64_t calls = link->calls();
      const bool busy = calls != entry.calls;
      entry.calls = calls;
      ticking = ticking || busy;
      if (!busy) settle(id, entry, *link);
    }
    return ticking;
  }

  void settle(std::uint64_t id, Entry& entry, Watched& link) {
    link.settled = true;
    // Read after the flag is set: a leader that stops from now on sees the flag and rings.
    entry.state = link.led() ? State::led : State::armed;
    if (entry.state == State::armed) control(EPOLL_CTL_MOD, entry.fd, armed_events, id);
  }

  void step(std::uint64_t id) {
    std::shared_ptr<Watched> link;
    {
      const std::lock_guard lock(mutex_);
      const auto found = links_.find(id);
      if (found != links_.end()) link = found->second.link.lock();
    }
    // Not under the mutex: it may call the application's failure handler.
    if (!link || !link->step()) return;
    const std::lock_guard lock(mutex_);
    const auto found = links_.find(id);
    if (found != links_.end() && found->second.state == State::armed) {
      control(EPOLL_CTL_MOD, found->second.fd, armed_events, id);
    }
  }

  // Hang-ups are reported whatever is asked for; one-shot keeps that to once.
  static constexpr std::uint32_t disarmed_events = EPOLLONESHOT;
  static constexpr std::uint32_t armed_events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;

  const HomeProcess home_;
  net::Fd epoll_;
  net::Fd bell_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Entry> links_;
  std::uint64_t last_id_ = bell_id;
  Duration heartbeat_{};  ///< the shortest of the links'; zero: none beats
  TimePoint beaten_at_{};
  AwakeTime awake_{TimePoint{}};
};

}  // namespace

Result<Watcher*> Watcher::process() {
  // So that no child inherits one that is half made.
  const auto lock = hold_forks();
  // Never destroyed: its thread may outlive main.
  static EpollWatcher* watcher = nullptr;
  if (watcher != nullptr && !watcher->here()) std::exchange(watcher, nullptr)->close_descriptors();
  if (watcher == nullptr) {
    auto made = std::make_unique<EpollWatcher>();
    if (Result<void> started = made->start(); !started) return std::move(started).error();
    watcher = made.release();
  }
  return static_cast<Watcher*>(watcher);
}

}  // namespace muster::client
