#include "mpi/pump.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <span>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <utility>

#include "net/wait.hpp"

namespace muster::plugins {
namespace {

using namespace std::chrono_literals;

constexpr Duration pause_min = 50us;
constexpr Duration pause_max = 10ms;
/// So many messages to one rank are on their way at most; what is more waits where it was said.
constexpr std::size_t unsent_max = 8;
/// So many messages are taken in before anything else is looked at.
constexpr int taken_a_step_max = 64;

}  // namespace

Result<std::unique_ptr<Pump>> Pump::make(Messages& messages, net::Fd socket) {
  net::Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) {
    return Error{.code = Code::system, .what = "no eventfd: " + net::reason(errno)};
  }
  return std::make_unique<Pump>(messages, std::move(socket), std::move(wake));
}

Pump::Pump(Messages& messages, net::Fd socket, net::Fd wake)
    : messages_(messages),
      socket_(std::move(socket)),
      wake_(std::move(wake)),
      buffer_(message_bytes_max) {
  if (messages_.rank() == 0) judge_.emplace(messages_.size());
}

void Pump::wake() const {
  ::eventfd_write(wake_.get(), 1);
}

void Pump::step() {
  if (move()) last_moved_ = Clock::now();
  const TimePoint now = Clock::now();
  // As long as nothing has come is as long, by a small part of it, as nothing may come.
  wait(now + std::clamp((now - last_moved_) / 8, pause_min, pause_max));
}

void Pump::flush(TimePoint end) {
  while (move() || (!all_said() && Clock::now() < end)) wait(Clock::now() + pause_min);
}

void Pump::stop_judge() {
  if (judge_) judge_->stop();
}

bool Pump::finish(TimePoint end) {
  while (!over() && Clock::now() < end) step();
  return over() && !messages_.broken();
}

/// One look at everything; whether anything moved.
bool Pump::move() {
  if (messages_.broken()) break_off();
  bool moved = take_messages();
  if (judge_) {
    const auto due = judge_->next_deadline();
    if (due && *due <= Clock::now()) judge_->tick();
  }
  moved = say_waiting() || moved;
  moved = write_socket() || moved;
  return read_socket() || moved;
}

bool Pump::take_messages() {
  int taken = 0;
  while (taken < taken_a_step_max) {
    const auto message = messages_.receive();
    if (!message) break;
    ++taken;
    judge_ ? judge_->hear(message->from, message->bytes) : arrived(message->bytes);
  }
  return taken > 0;
}

/// What the judge has for the ranks, as far as there is room on the way to them.
bool Pump::say_waiting() {
  if (!judge_) return false;
  bool said = false;
  for (const std::uint32_t rank : judge_->addressees()) {
    while (rank == messages_.rank() || messages_.unsent(rank) < unsent_max) {
      const auto [bytes, end] = judge_->next(rank, message_bytes_max);
      if (bytes.empty() && !end) break;
      rank == messages_.rank() ? arrived(bytes) : messages_.send(rank, bytes);
      judge_->said(rank, bytes.size());
      said = true;
    }
  }
  return said;
}

/// What the judge says to this rank.
void Pump::arrived(Bytes bytes) {
  if (bytes.empty()) remote_ended_ = true;
  if (socket_) unwritten_.insert(unwritten_.end(), bytes.begin(), bytes.end());
}

/// What this rank says to the judge.
void Pump::say(Bytes bytes) {
  judge_ ? judge_->hear(messages_.rank(), bytes) : messages_.send(0, bytes);
}

bool Pump::read_socket() {
  if (!socket_ || (!judge_ && messages_.unsent(0) >= unsent_max)) return false;
  const ssize_t got = ::recv(socket_.get(), buffer_.data(), buffer_.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
  const auto bytes = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  if (bytes == 0) {
    socket_.reset();
    unwritten_.clear();
    local_ended_ = true;
  }
  say(Bytes(buffer_).first(bytes));
  return true;
}

bool Pump::write_socket() {
  if (!socket_) return false;
  std::size_t written = 0;
  while (written < unwritten_.size()) {
    const Bytes rest = Bytes(unwritten_).subspan(written);
    const ssize_t put = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (put <= 0) break;  // full, or its other end is closed, which read_socket() will see
    written += static_cast<std::size_t>(put);
  }
  unwritten_.erase(unwritten_.begin(), unwritten_.begin() + static_cast<std::ptrdiff_t>(written));
  if (remote_ended_ && unwritten_.empty()) ::shutdown(socket_.get(), SHUT_WR);
  return written > 0;
}

/// No message comes or goes any more: to this rank everybody else is gone.
void Pump::break_off() {
  if (!judge_) return arrived({});
  for (std::uint32_t rank = 1; rank < messages_.size(); ++rank) judge_->hear(rank, {});
}

/// Whether everything is on its way that was said here.
bool Pump::all_said() {
  if (messages_.broken()) return true;
  if (!judge_) return messages_.unsent(0) == 0;
  if (!judge_->addressees().empty()) return false;
  for (std::uint32_t rank = 0; rank < messages_.size(); ++rank) {
    if (messages_.unsent(rank) > 0) return false;
  }
  return true;
}

bool Pump::over() {
  if (!local_ended_) return false;
  if (messages_.broken()) return true;
  return all_said() && (judge_ ? judge_->over() : remote_ended_);
}

void Pump::wait(TimePoint until) {
  if (judge_) until = std::min(until, judge_->next_deadline().value_or(until));
  pollfd all[] = {{wake_.get(), POLLIN, 0}, {socket_.get(), 0, 0}};
  const bool room = judge_ || messages_.unsent(0) < unsent_max;
  if (room) all[1].events |= POLLIN;
  if (!unwritten_.empty()) all[1].events |= POLLOUT;
  const std::size_t count = socket_ && all[1].events != 0 ? 2 : 1;
  net::wait_any(std::span(all).first(count), until);
  eventfd_t woken = 0;
  if (all[0].revents != 0) ::eventfd_read(wake_.get(), &woken);
}

}  // namespace muster::plugins
