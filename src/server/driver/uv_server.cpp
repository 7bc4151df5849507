#include "server/driver/uv_server.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.hpp"
#include "base/random.hpp"
#include "net/wait.hpp"
#include "server/core/sources.hpp"
#include "server/driver/capacity.hpp"
#include "server/driver/descriptor_room.hpp"
#include "server/driver/timer.hpp"

namespace muster::server {
namespace {

constexpr std::size_t slab_bytes = 256U << 10;
/// What a step needed beyond it is given back.
constexpr std::size_t kept_action_bytes = 1U << 20;
constexpr auto linger_max = std::chrono::seconds{2};
constexpr auto sweep_period = std::chrono::milliseconds{20};
constexpr auto shortage_line_interval = std::chrono::seconds{10};

ServeOptions completed(ServeOptions options) {
  options.core.tls = options.tls != nullptr;
  return options;
}

}  // namespace

UvServer::UvServer(ServeOptions options)
    : options_(completed(std::move(options))),
      core_(options_.core, system_random(), Clock::now()),
      slab_(slab_bytes),
      tls_(*this, options_.tls),
      on_ready_([this](Connection& connection, bool readable, bool writable) {
        ready(connection, readable, writable);
      }),
      listener_([this](net::Fd socket,
                       std::string address) { welcome(std::move(socket), std::move(address)); },
                [this](int error) { refused_ = error; }) {}

UvServer::~UvServer() {
  stop(Duration::zero());
}

Result<void> UvServer::start() {
  if (Result<void> fits = make_descriptors_suffice(options_.core.size); !fits) return fits;
  if (Result<void> opened = open_loop(); !opened) return opened;
  if (Result<void> opened = open_listener(); !opened) return opened;
  settle_timer();
  make_descriptor_room(options_.core.size + limits::strangers_max);
  return loop_.start();
}

Result<void> UvServer::open_loop() {
  if (Result<void> opened = loop_.open(); !opened) return opened;
  core_timer_ = make_timer(loop_.get(), this);
  sweep_timer_ = make_timer(loop_.get(), this);
  unheard_.emplace(loop_.get(), [this](LinkId link) { hear_held(link); });
  auto prepare = std::make_unique<uv_prepare_t>();
  uv_prepare_init(loop_.get(), prepare.get());
  prepare->data = this;
  before_poll_.reset(prepare.release());
  uv_prepare_start(before_poll_.get(), [](uv_prepare_t* handle) {
    auto& self = *static_cast<UvServer*>(handle->data);
    self.make_room();
    self.tls_.go_on();
    self.flush_all();
    self.tell_of_living();
    self.settle_timer();
  });
  return {};
}

Result<void> UvServer::open_listener() {
  if (!options_.listen_fd && !options_.url) return {};
  if (options_.same_user_only) listener_.let_in_same_user_only();
  Result<void> opened = listener_.open(loop_.get(), std::move(options_.listen_fd),
                                       options_.url.value_or(net::Url{}), options_.bind_by);
  if (!opened) return opened;
  if (std::string line = queue_warning(options_.core.size); !line.empty()) {
    perform(Log{.level = LogLevel::warning, .line = std::move(line)});
  }
  return {};
}

Result<net::Fd> UvServer::connect_in_process() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    return Error{.code = Code::system,
                 .phase = Phase::connect,
                 .what = "no pair of sockets for a rank in this process: " + net::reason(errno)};
  }
  net::Fd ours(ends[0]);
  net::Fd theirs(ends[1]);
  auto served = std::make_shared<net::Fd>(std::move(ours));
  loop_.post([this, served] {
    const LinkId link = adopt(std::move(*served), "in-process");
    if (link != 0) happened(Vouched{link});
  });
  return theirs;
}

JobStatus UvServer::status() {
  return loop_.call([this] { return core_.status(Clock::now()); });
}

std::optional<RosterRow> UvServer::first_casualty() {
  return loop_.call([this] { return core_.first_casualty(); });
}

void UvServer::doom(Failure failure) {
  loop_.post([this, failure = std::move(failure)] { happened(Doom{failure}); });
}

void UvServer::stop(Duration grace) {
  loop_.post([this, grace] { begin_stop(Clock::now() + grace); });
  loop_.join();
}

/// Once a turn of the loop, when all who could be heard were: what they said may have admitted
/// them.
void UvServer::make_room() {
  const int error = std::exchange(refused_, 0);
  if (error == 0) return;
  bool room = false;
  if (error == EMFILE || error == ENFILE) {
    happened(Crowded{});
    for (const Action& action : actions_.list) {
      const auto* close = std::get_if<Close>(&action);
      if (close == nullptr) continue;
      forget(close->link);  // now: nothing is owed to it
      room = true;
    }
  }
  room ? listener_.go_on() : say_shortage(error);
}

void UvServer::say_shortage(int error) {
  const TimePoint now = Clock::now();
  if (shortage_said_at_ && now < *shortage_said_at_ + shortage_line_interval) return;
  shortage_said_at_ = now;
  const bool descriptors = error == EMFILE || error == ENFILE;
  perform(
      Log{.level = LogLevel::error,
          .line = fmt::format("cannot accept connections on {}: {}; {} are open{}", url(),
                              net::reason(error), connections_.size(),
                              descriptors ? ". Raise the limit of open files (ulimit -n)" : "")});
}

LinkId UvServer::adopt(net::Fd socket, std::string address) {
  if (stop_at_) return 0;
  const LinkId link = ++last_link_;
  int error = 0;
  auto connection = Connection::make(loop_.get(), std::move(socket), link, on_ready_, error);
  if (!connection) {
    say_shortage(error);
    return 0;
  }
  connections_.emplace(link, std::move(connection));
  happened(Opened{.link = link, .address = std::move(address)});
  return link;
}

/// One from outside.
void UvServer::welcome(net::Fd socket, std::string address) {
  std::string source(tls_.used() ? source_of(address) : std::string_view{});
  const LinkId link = adopt(std::move(socket), std::move(address));
  if (!tls_.used()) return;
  if (Connection* fresh = connection(link)) tls_.shield(*fresh, std::move(source));
}

Connection* UvServer::connection(LinkId link) {
  const auto found = connections_.find(link);
  if (found == connections_.end() || found->second->closing()) return nullptr;
  return found->second.get();
}

void UvServer::ready(Connection& connection, bool readable, bool writable) {
  const LinkId link = connection.id();
  const int lost = writable ? write(connection) : 0;
  if (lost != 0) return drop(link, net::reason(lost));
  if (connection.closing()) {
    if (connection.written()) forget(link);
    return;
  }
  if (!readable || connection.holds()) return;
  const ssize_t got = connection.read(slab_);
  if (got > 0) {
    const Bytes bytes{slab_.data(), static_cast<std::size_t>(got)};
    connection.shield() != nullptr ? tls_.arrived(connection, bytes) : received(link, bytes);
  } else if (got == 0) {
    drop(link, "connection closed");
  } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    drop(link, net::reason(errno));
  }
}

void UvServer::received(LinkId link, Bytes bytes) {
  Connection* from = connection(link);
  if (from == nullptr) return;
  if (from->holds()) return from->hold(bytes);
  const std::size_t left = step(Received{.link = link, .bytes = bytes});
  from = connection(link);
  if (from == nullptr || left == 0) return;
  from->hold(bytes.last(left));
  flush_later(link);  // where it stops reading
  unheard_->add(link);
}

void UvServer::hear_held(LinkId link) {
  Connection* from = connection(link);
  if (from == nullptr || !from->holds()) return;
  from->stalled = !from->end() && from->outbox().unwritten_bytes() >= limits::unread_answers_max;
  if (from->stalled) return sweep_later();
  const Value bytes = from->take_held();
  received(link, bytes);
  from = connection(link);
  if (from == nullptr || from->holds()) return;
  if (from->end()) return drop(link, std::string(*from->end()));
  flush_later(link);  // where it begins to read again
}

void UvServer::drop(LinkId link, const std::string& why) {
  const auto found = connections_.find(link);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  if (connection.holds() && !connection.closing()) {
    // What came before its end counts, in its turn.
    if (std::exchange(connection.stalled, false)) unheard_->add(link);
    return connection.end_after_held(why);
  }
  const Shield* shield = connection.shield();
  const bool halfway = shield != nullptr && !shield->silent() && !shield->shaken();
  forget(link);
  if (!halfway) return happened(Closed{.link = link, .why = why});
  happened(Rejected{.link = link, .why = "closed in the middle of its TLS handshake: " + why});
}

void UvServer::turn_away(LinkId link, std::string why) {
  happened(Rejected{.link = link, .why = std::move(why)});
  perform(Close{link});
}

void UvServer::forget(LinkId link) {
  connections_.erase(link);
  tls_.gone(link);
}

void UvServer::happened(const Event& event) {
  step(event);
}

/// Returns Actions::untaken.
std::size_t UvServer::step(const Event& event) {
  if (actions_.bytes.capacity() > kept_action_bytes) Value().swap(actions_.bytes);
  actions_.clear();
  core_.step(event, Clock::now(), actions_);
  const std::size_t untaken = actions_.untaken;  // who is cut off below takes a step, too
  for (const Action& action : actions_.list) {
    std::visit([this](const auto& each) { perform(each); }, action);
  }
  while (!overfull_.empty()) {
    const LinkId link = overfull_.back();
    overfull_.pop_back();
    drop_if_deaf(link);
  }
  return untaken;
}

void UvServer::drop_if_deaf(LinkId link) {
  const auto found = connections_.find(link);
  if (found == connections_.end()) return;
  if (found->second->deaf(Clock::now())) {
    found->second->take_held();  // nor would it read the answers
    return drop(link, "it does not read what is sent to it");
  }
  sweep_later();
}

void UvServer::sweep_later() {
  if (!uv_is_active(reinterpret_cast<uv_handle_t*>(sweep_timer_.get()))) sweep_in(linger_max);
}

void UvServer::sweep_in(Duration time) {
  start_timer(
      sweep_timer_.get(), [](uv_timer_t* timer) { static_cast<UvServer*>(timer->data)->sweep(); },
      time);
}

void UvServer::perform(const Send& send) {
  const auto found = connections_.find(send.link);
  if (found == connections_.end() || found->second->end()) return;
  Outbox& outbox = found->second->outbox();
  if (outbox.empty()) unflushed_.push_back(send.link);
  outbox.push(Bytes(actions_.bytes).subspan(send.offset, send.length), send.tail);
  if (outbox.unwritten_bytes() > limits::unsent_bytes_max) overfull_.push_back(send.link);
}

void UvServer::perform(const Close& close) {
  const auto found = connections_.find(close.link);
  if (found == connections_.end()) return;
  found->second->close_after_flush(Clock::now() + linger_max);
  tls_.gone(close.link);
  unflushed_.push_back(close.link);
}

void UvServer::perform(const Guard& guard) {
  const auto found = connections_.find(guard.link);
  if (found != connections_.end()) found->second->bound_delivery(guard.time);
}

void UvServer::perform(const Log& log) {
  if (options_.log) options_.log(log.level, log.line);
}

void UvServer::settle_timer() {
  std::optional<TimePoint> due = core_.next_deadline();
  const std::optional<TimePoint> slow = tls_.next_deadline();
  if (slow && (!due || *slow < *due)) due = slow;
  // A timer that fires early costs one empty Tick; moving it at each step would cost more.
  if (!due || (core_due_ && *core_due_ <= *due)) return;
  core_due_ = due;
  start_timer(
      core_timer_.get(),
      [](uv_timer_t* timer) {
        auto& self = *static_cast<UvServer*>(timer->data);
        self.core_due_.reset();
        self.happened(Tick{});
        self.tls_.expire(Clock::now());
      },
      *due - Clock::now());
}

int UvServer::write(Connection& connection) {
  const LinkId link = connection.id();
  const std::size_t before = connection.outbox().unwritten_bytes();
  const int lost = connection.flush();
  if (lost != 0 || !connection.stalled) return lost;
  const std::size_t after = connection.outbox().unwritten_bytes();
  if (after < limits::unread_answers_max) {
    connection.stalled = false;
    unheard_->add(link);
  } else if (after < before) {
    living_.push_back(link);
  }
  return 0;
}

void UvServer::flush_all() {
  // By index: a connection that is lost while it is written makes the core answer others.
  for (std::size_t i = 0; i < unflushed_.size(); ++i) {
    const auto found = connections_.find(unflushed_[i]);
    if (found == connections_.end()) continue;
    Connection& connection = *found->second;
    if (const int lost = write(connection); lost != 0) {
      drop(connection.id(), net::reason(lost));
    } else if (connection.closing() && connection.written()) {
      forget(connection.id());
    } else if (connection.closing()) {
      sweep_later();
    }
  }
  unflushed_.clear();
}

/// Who is not heard meanwhile, but reads, is not silent.
void UvServer::tell_of_living() {
  for (const LinkId link : std::exchange(living_, {})) {
    if (connection(link) != nullptr) happened(Received{.link = link, .bytes = {}});
  }
}

void UvServer::sweep() {
  const TimePoint now = Clock::now();
  bool waiting = false;
  std::vector<LinkId> deaf;
  for (auto each = connections_.begin(); each != connections_.end();) {
    Connection& connection = *each->second;
    if (!connection.closing() && connection.deaf(now)) deaf.push_back(each->first);
    const bool expired = connection.closing() && connection.closing_deadline() <= now;
    waiting = waiting || (!expired && (connection.closing() || !connection.written()));
    each = expired ? connections_.erase(each) : std::next(each);
  }
  if (stop_at_ && (!waiting || *stop_at_ <= now)) return finish();
  for (const LinkId link : deaf) drop_if_deaf(link);
  if (!waiting) return;
  sweep_in(stop_at_ ? Duration{sweep_period} : Duration{linger_max});
}

void UvServer::begin_stop(TimePoint deadline) {
  if (finished_ || stop_at_) return;
  stop_at_ = deadline;
  listener_.close();
  happened(Stop{});
  flush_all();
  sweep();
}

void UvServer::finish() {
  if (std::exchange(finished_, true)) return;
  connections_.clear();
  core_timer_.reset();
  sweep_timer_.reset();
  unheard_.reset();
  before_poll_.reset();
  loop_.finish();
}

}  // namespace muster::server
