#include <fmt/format.h>
#include <utility>

#include <muster/job.hpp>

#include "base/assert.hpp"
#include "base/exit_code.hpp"
#include "base/fork.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "client/core/rank_calls.hpp"
#include "job/job_impl.hpp"
#include "wire/notices.hpp"

namespace muster {
namespace {

/// How long a job that is dropped, rather than left, may take for its last words.
constexpr std::chrono::milliseconds goodbye_max{100};
/// How long a serving rank that has left goes on writing what others have not read yet.
constexpr std::chrono::seconds drain_max{2};

/// What a process ends with whose job has drifted (docs/reference/exit-codes.md).
constexpr int exit_drift = 70;

Error left_already(const char* call) {
  return Error{.code = Code::invalid_state,
               .what = fmt::format("{} after leave", call),
               .advice = "join again for another job"};
}

}  // namespace

Job::Impl::~Impl() {
  drop();
}

void Job::Impl::drop() {
  if (std::exchange(left, true)) return;
  failures->silence();
  if (caller) {
    const Value goodbye = last_words();
    // Who drops a job does not ask how it went.
    static_cast<void>(client::call(*caller, goodbye, Clock::now() + goodbye_max, Phase::leave));
  }
  close(goodbye_max);
  plugin.reset();
}

Value Job::Impl::last_words() {
  const std::lock_guard lock(drift_mutex);
  if (drift.empty()) return client::frame(wire::Type::leave, wire::LeaveRequest{.now = true});
  return client::frame(wire::Type::fail,
                       wire::FailRequest{.exit_code = exit_drift, .reason = drift});
}

void Job::Impl::note_drift(const Error& error) {
  const std::lock_guard lock(drift_mutex);
  drift = error.what.substr(0, limits::text_bytes_max);
}

TimePoint Job::Impl::resolve(Deadline deadline) const {
  return deadline.resolve(caller->now(), caller->session().operation_timeout);
}

void Job::Impl::close(Duration grace) {
  failures->silence();
  if (caller) caller->close(left_already("a call"));
  if (server) server->stop(grace);
}

Job::Job(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Job::Job(Job&&) noexcept = default;
Job& Job::operator=(Job&& other) noexcept {
  if (this != &other) {
    const Job before(std::move(impl_));
    impl_ = std::move(other.impl_);
  }
  return *this;
}

/// In a forked child its locks may be held by threads that are not there, and the others need no
/// goodbye from a rank that goes on: its memory is left alone, its descriptors are closed already.
Job::~Job() {
  if (impl_ && !impl_->home.here()) static_cast<void>(impl_.release());
}

std::uint32_t Job::rank() const {
  return impl_->caller->session().rank;
}
std::uint32_t Job::size() const {
  return impl_->caller->session().size;
}
std::string_view Job::id() const {
  return impl_->caller->session().job;
}
const Epoch& Job::epoch() const {
  return impl_->caller->session().epoch;
}
Identity Job::identity() const {
  return impl_->world->identity();
}
std::string_view Job::url() const {
  return impl_->url;
}
Group& Job::world() {
  return *impl_->world;
}
Store& Job::store() {
  return *impl_->store;
}

Result<Agreement> Job::agree(const Contract& contract, Deadline deadline) {
  auto agreement = muster::agree(*impl_->world, epoch(), contract, deadline);
  const bool drifted = !agreement && agreement.error().code == Code::contract_mismatch;
  if (drifted) impl_->note_drift(agreement.error());
  return agreement;
}

Result<JobStatus> Job::status(Deadline deadline) {
  return ask_status(*impl_->caller, impl_->resolve(deadline));
}

void Job::on_failure(std::function<void(const Failure&)> handler) {
  if (!impl_->home.here()) return;
  impl_->failures->set_handler(std::move(handler));
}

Result<void> Job::fail(std::string_view reason, int exit_code) {
  if (auto fits = check_exit_code(exit_code); !fits) return fits;
  return client::fail_job(*impl_->caller, reason.substr(0, limits::text_bytes_max), exit_code,
                          impl_->resolve({}));
}

Result<void> Job::leave(Deadline deadline) {
  if (!impl_->home.here()) return impl_->home.error();
  if (std::exchange(impl_->left, true)) return left_already("leave");
  // Whoever is lost from now on may be: this rank needs nobody any more.
  impl_->failures->silence();
  const TimePoint end = impl_->resolve(deadline);
  Result<void> left = client::say_goodbye(*impl_->caller, end);
  impl_->close(drain_max);
  if (!impl_->plugin) return left;
  Result<void> plugin_left = impl_->plugin->leave(Deadline::at(end));
  return left ? plugin_left : left;
}

void Job::leave_now() {
  if (!impl_->home.here()) return;
  impl_->drop();
}

}  // namespace muster
