#include "client/driver/socket_caller.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <utility>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "client/driver/link_errors.hpp"
#include "net/wait.hpp"

namespace muster::client {
namespace {

constexpr std::size_t read_bytes = 64U << 10;
constexpr std::size_t opened_bytes = 16U << 10;  ///< what one record holds
constexpr TimePoint at_once{};
/// At a deadline: for the thread that reads to hand out what it has got.
constexpr std::chrono::milliseconds reader_patience{10};
constexpr std::chrono::seconds blocking_read_max{1};

/// Lets reads block, for blocking_read_max at most; what must not block says so in each call. False
/// if that bound cannot be had: then they do not block.
bool let_reads_block(int fd) {
  const timeval most{.tv_sec = blocking_read_max.count(), .tv_usec = 0};
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) != 0) return false;
  const int flags = ::fcntl(fd, F_GETFL);
  return ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0;
}

Value beat_frame() {
  Value frame;
  const std::size_t begun = wire::begin_frame(frame);
  wire::end_frame(frame, begun, wire::Type::beat, 0);
  return frame;
}

}  // namespace

SocketCaller::SocketCaller(net::Fd socket, std::unique_ptr<net::Tls> tls, Session session,
                           OnFailure on_failure)
    : socket_(std::move(socket)),
      session_(std::move(session)),
      on_failure_(std::move(on_failure)),
      reads_block_(let_reads_block(socket_.get())),
      tls_(std::move(tls)),
      pending_(make_slot<Waiter>, 0,
               session_.version0 ? Pending::BadAnswers::raw : Pending::BadAnswers::failures),
      reader_(session_.version0 ? limits::v0_frame_body_bytes_max : limits::frame_body_bytes_max) {}

std::shared_ptr<SocketCaller> SocketCaller::make(net::Fd socket, std::unique_ptr<net::Tls> tls,
                                                 Session session, OnFailure on_failure,
                                                 Bytes early) {
  std::shared_ptr<SocketCaller> link(
      new SocketCaller(  // taste: the constructor is private
          std::move(socket), std::move(tls), std::move(session), std::move(on_failure)),
      Destroy());
  Lock lock(link->mutex_);
  const Ticket hello = link->pending_.add();
  MUSTER_ASSERT(hello == muster_ticket);
  link->hand_out(early);
  link->tell(lock);
  return link;
}

void SocketCaller::Destroy::operator()(SocketCaller* link) const {
  if (link->home_.here()) delete link;  // taste: a shared_ptr's
}

SocketCaller::~SocketCaller() {
  if (watch_id_ != 0) watcher_->unwatch(watch_id_);
  MUSTER_ASSERT(!leading_ && !sending_ && sleepers_.empty());
}

Result<void> SocketCaller::watch(const std::shared_ptr<SocketCaller>& link) {
  const Result<Watcher*> watcher = Watcher::process();
  if (!watcher) return watcher.error();
  const Result<std::uint64_t> id = (*watcher)->watch(link);
  if (!id) return id.error();
  link->watcher_ = *watcher;
  link->watch_id_ = *id;
  return {};
}

Result<Ticket> SocketCaller::start(Value frame) {
  return launch(std::move(frame), nullptr);
}

Result<Ticket> SocketCaller::start_watch(Value frame, OnPush on_push) {
  return launch(std::move(frame), std::move(on_push));
}

Result<Ticket> SocketCaller::launch(Value frame, OnPush on_push) {
  if (!home_.here()) return home_.error();
  Lock lock(mutex_);
  if (fate_.down()) return *fate_.down();
  calls_.fetch_add(1, std::memory_order_relaxed);
  not_quiet();
  const Ticket ticket = on_push ? pending_.add_watch(std::move(on_push)) : pending_.add();
  wire::set_sequence(frame.data(), ticket);
  push(std::move(frame));
  if (!sending_) send(lock, at_once);
  return ticket;
}

void SocketCaller::end_watch(Ticket ticket) {
  if (!home_.here()) return;
  Lock lock(mutex_);
  const std::shared_ptr<Watch> ended = pending_.end_watch(ticket);
  if (ended) pushes_.wait_for_end_of(ended, lock);
}

bool SocketCaller::test(Ticket ticket) {
  if (!home_.here()) return true;
  Lock lock(mutex_);
  const Waiter& mine = waiter(ticket);
  if (!mine.done && !fate_.down() && !leading_) {
    lead(lock, mine, at_once);
    tell(lock);
  }
  return mine.done || fate_.down();
}

Result<Reply> SocketCaller::wait(Ticket ticket, TimePoint deadline) {
  if (!home_.here()) return home_.error();
  Lock lock(mutex_);
  Waiter& mine = waiter(ticket);
  while (!mine.done && !fate_.down()) {
    if (Clock::now() >= deadline) {
      look_once_more(lock, mine);
      break;
    }
    if (!outbox_.empty() && !sending_) send(lock, leading_ ? deadline : at_once);
    if (mine.done || fate_.down()) continue;
    leading_ ? sleepers_.sleep(lock, mine, deadline) : lead(lock, mine, deadline);
    tell(lock);
  }
  return finish(lock, ticket);
}

/// At the deadline, what has arrived still counts. This process may have been stopped for longer
/// than it had left, and a signal have ended the wait before the read.
void SocketCaller::look_once_more(Lock& lock, Waiter& mine) {
  if (leading_) {
    sleepers_.sleep(lock, mine, Clock::now() + reader_patience);
  } else {
    lead_through(lock, &mine);
  }
  tell(lock);
}

void SocketCaller::forget(Ticket ticket) {
  if (!home_.here()) return;
  const Lock lock(mutex_);
  pending_.remove(ticket);
}

void SocketCaller::close(const Error& why) {
  if (!home_.here()) return;
  Lock lock(mutex_);
  fate_.owner_knows();
  go_down(why);
  lock.unlock();
  ::shutdown(socket_.get(), SHUT_RDWR);  // wakes whoever is in a system call
}

bool SocketCaller::step() {
  Lock lock(mutex_);
  if (!leading_ && !fate_.down()) {
    lead_through(lock, nullptr);
    tell(lock);
  }
  return !fate_.down();
}

void SocketCaller::beat(Duration awake) {
  step();  // what has come is heard before the server is judged
  Lock lock(mutex_);
  if (fate_.down()) return;
  if (pulse_.silence(awake) >= silence_max(session_)) {
    go_down(server_silent(session_));
    ::shutdown(socket_.get(), SHUT_RDWR);  // wakes whoever reads
    return tell(lock);
  }
  if (sending_) return;  // that is sign enough
  // What was left over because the socket was full is one, too, and nobody may be waiting for it.
  if (outbox_.empty()) push(beat_frame());
  send(lock, at_once);
  wake_one_if_needed();
}

/// Every frame of this side goes this way.
void SocketCaller::push(Value frame) {
  if (tls_) {
    tls_->write(frame);
    frame = std::exchange(tls_->outgoing(), {});
  }
  outbox_.push(std::move(frame));
}

Waiter& SocketCaller::waiter(Ticket ticket) {
  Slot* slot = pending_.find(ticket);
  MUSTER_ASSERT(slot != nullptr);  // waited for twice, or never started
  return static_cast<Waiter&>(*slot);
}

/// Ends a wait: with the answer, or because there will be none, or because it did not come in time.
Result<Reply> SocketCaller::finish(Lock& lock, Ticket ticket) {
  std::optional<Reply> answer = pending_.remove(ticket);
  wake_one_if_needed();
  tell(lock);
  if (answer) return *std::move(answer);
  return fate_.down() ? *fate_.down() : no_answer(session_);
}

void SocketCaller::lead(Lock& lock, const Waiter& mine, TimePoint deadline) {
  leading_ = true;
  do {
    take_in(lock, deadline);
  } while (!mine.done && !fate_.down() && !something_to_tell() && Clock::now() < deadline);
  stop_leading();
}

void SocketCaller::lead_through(Lock& lock, const Waiter* wanted) {
  leading_ = true;
  while (!(wanted != nullptr && wanted->done) && !fate_.down() && take_in(lock, at_once)) {
  }
  stop_leading();
}

void SocketCaller::stop_leading() {
  leading_ = false;
  not_quiet();
  wake_one_if_needed();
}

void SocketCaller::not_quiet() {
  if (settled.load() && watch_id_ != 0) watcher_->busy(watch_id_);
}

void SocketCaller::wake_one_if_needed() {
  const bool reader_needed = !leading_;
  const bool sender_needed = !sending_ && !outbox_.empty();
  if (sleepers_.empty() || (!reader_needed && !sender_needed)) return;
  sleepers_.wake_one();
}

void SocketCaller::send(Lock& lock, TimePoint deadline) {
  sending_ = true;
  Outbox::Slices slices;
  while (!outbox_.empty() && deaf_ == 0 && !fate_.down()) {
    msghdr message{};
    message.msg_iov = slices.data();
    message.msg_iovlen = outbox_.slices(slices);
    lock.unlock();
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    const int error = errno;
    const bool full = sent < 0 && (error == EAGAIN || error == EWOULDBLOCK);
    if (full && deadline != at_once) net::wait_ready(socket_.get(), POLLOUT, deadline);
    lock.lock();
    if (sent >= 0) {
      outbox_.consume(static_cast<std::size_t>(sent));
    } else if (full) {
      if (deadline == at_once || Clock::now() >= deadline) break;
    } else if (error != EINTR) {
      deaf_ = error;
      // The reader still finds out what the peer said last, and then that it is gone.
      ::shutdown(socket_.get(), SHUT_WR);
    }
  }
  if (deaf_ != 0 || fate_.down()) outbox_ = {};
  sending_ = false;
}

bool SocketCaller::take_in(Lock& lock, TimePoint deadline) {
  const bool unsent = !outbox_.empty() && !sending_;
  lock.unlock();
  // A blocking read saves the poll before it, which is a third of a small request's system calls;
  // it ends every blocking_read_max, so it fits a wait that has longer than that.
  const bool block = reads_block_ && !unsent && deadline > Clock::now() + blocking_read_max;
  short ready = POLLIN;
  if (!block) {
    const short events = static_cast<short>(POLLIN | (unsent ? POLLOUT : 0));
    ready = net::wait_ready(socket_.get(), events, deadline);
  }
  std::array<std::byte, read_bytes> buffer;
  ssize_t got = -1;
  int error = EAGAIN;
  if ((ready & ~POLLOUT) != 0) {
    got = ::recv(socket_.get(), buffer.data(), buffer.size(), block ? 0 : MSG_DONTWAIT);
    error = errno;
  }
  lock.lock();
  if ((ready & POLLOUT) != 0 && !sending_) send(lock, at_once);
  if (fate_.down()) return false;
  if (got > 0) {
    pulse_.heard();
    arrived({buffer.data(), static_cast<std::size_t>(got)});
    return true;
  }
  if (got == 0) link_broke("it was closed at the other end");
  if (got < 0 && error != EAGAIN && error != EWOULDBLOCK && error != EINTR) {
    link_broke(net::reason(error));
  }
  return false;
}

/// TLS keeps nothing back that could be handed out: what the next poll would not know of.
void SocketCaller::arrived(Bytes bytes) {
  using State = net::Tls::State;
  if (!tls_) return hand_out(bytes);
  std::array<std::byte, opened_bytes> opened;
  tls_->feed(bytes);
  while (const std::size_t count = tls_->read(opened)) {
    hand_out(Bytes(opened).first(count));
    if (fate_.down()) return;
  }
  if (tls_->state() == State::failed) return go_down(link_altered(session_, tls_->why()));
  if (tls_->state() == State::ended) return link_broke("it was closed at the other end");
  // An answer of TLS's own leaves with what is sent next.
  if (!tls_->outgoing().empty()) outbox_.push(std::exchange(tls_->outgoing(), {}));
}

void SocketCaller::hand_out(Bytes bytes) {
  using Found = wire::FrameReader::Found;
  reader_.feed(bytes);
  wire::FrameHeader header;
  Bytes body;
  for (;;) {
    const Found found = reader_.next(header, body);
    if (found == Found::more) return;
    Pending::Outcome outcome;
    outcome.taken = Pending::Taken::broken;
    if (found == Found::frame) outcome = pending_.take(header, body);
    if (outcome.taken == Pending::Taken::broken) {
      return go_down(not_the_protocol(session_));
    }
    if (outcome.failure) fate_.announce(*std::move(outcome.failure));
    if (outcome.watch) queue_push(std::move(outcome.watch), body);
    if (outcome.slot != nullptr) sleepers_.wake(static_cast<Waiter&>(*outcome.slot));
  }
}

void SocketCaller::link_broke(const std::string& why) {
  if (const auto& said = fate_.announced()) return go_down(last_words(session_, *said));
  go_down(link_lost(session_, deaf_ != 0 ? net::reason(deaf_) : why));
}

void SocketCaller::go_down(Error why) {
  if (!fate_.go_down(std::move(why))) return;
  if (!sending_) outbox_ = {};  // a sender is still reading from it
  sleepers_.wake_all();
}

void SocketCaller::queue_push(std::shared_ptr<Watch> watch, Bytes body) {
  if (fate_.down()) return;
  pushes_.add(std::move(watch), body);
  if (pushes_.bytes() <= limits::unsent_bytes_max) return;
  go_down(watcher_lags(session_, pushes_.bytes()));
  pushes_.clear();
}

void SocketCaller::tell(Lock& lock) {
  pushes_.deliver(lock);
  const std::optional<Failure> news = fate_.take_news();
  if (!news || !on_failure_) return;
  lock.unlock();
  on_failure_(*news);
  lock.lock();
}

}  // namespace muster::client
