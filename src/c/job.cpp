#include <cstring>

#include <muster/job.hpp>

#include "c/arguments.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"
#include "c/options.hpp"

using muster::Failure;
using muster::Result;
using muster::c::Arguments;
using muster::c::deliver;
using muster::c::guarded;

muster_job::muster_job(muster::Job joined)
    : job(std::move(joined)),
      world{.group = &job.world()},
      store{.store = &job.store()},
      id(job.id()),
      url(job.url()),
      epoch(job.epoch().text()) {}

namespace {

muster_error to_error(const Failure& failure) {
  muster_error error{.error = {.code = failure.code,
                               .phase = muster::Phase::operation,
                               .what = failure.reason,
                               .advice = failure.advice,
                               .ranks = failure.who,
                               .exit_code = failure.exit_code},
                     .text = {}};
  error.text = error.error.text();
  return error;
}

}  // namespace

muster_status muster_join(const muster_join_options* options, muster_job** job) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(job, "job").good()) return given.problem();
    auto wanted = muster::c::to_join_options(options);
    if (!wanted) return std::move(wanted).error();
    return deliver(muster::c::join(*wanted), [&](muster_job* joined) { *job = joined; });
  });
}

uint32_t muster_job_rank(const muster_job* job) {
  return job != nullptr ? job->job.rank() : MUSTER_NO_RANK;
}
uint32_t muster_job_size(const muster_job* job) {
  return job != nullptr ? job->job.size() : 0;
}
const char* muster_job_id(const muster_job* job) {
  return job != nullptr ? job->id.c_str() : "";
}
const char* muster_job_url(const muster_job* job) {
  return job != nullptr ? job->url.c_str() : "";
}
const char* muster_job_epoch(const muster_job* job) {
  return job != nullptr ? job->epoch.c_str() : "";
}
muster_group* muster_job_world(muster_job* job) {
  return job != nullptr ? &job->world : nullptr;
}
muster_store* muster_job_store(muster_job* job) {
  return job != nullptr ? &job->store : nullptr;
}

muster_status muster_job_agree(muster_job* job, const muster_contract* contract, double timeout,
                               char* fingerprint) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const auto deadline = given.need(job, "job").need(contract, "contract").deadline(timeout);
    if (!given.good()) return given.problem();
    const auto whole = contract->builder.build();
    if (!whole) return whole.error();
    const auto agreement = job->job.agree(*whole, deadline);
    if (!agreement) return agreement.error();
    if (fingerprint == nullptr) return {};
    const std::string hex = muster::to_hex(agreement->fingerprint());
    std::memcpy(fingerprint, hex.c_str(), hex.size() + 1);
    return {};
  });
}

muster_status muster_job_on_failure(muster_job* job,
                                    void (*handler)(void* context, const muster_error* why),
                                    void* context) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(job, "job").good()) return given.problem();
    if (handler == nullptr) {
      job->job.on_failure(nullptr);
    } else {
      job->job.on_failure([handler, context](const Failure& failure) {
        const muster_error why = to_error(failure);
        handler(context, &why);
      });
    }
    return {};
  });
}

muster_status muster_job_fail(muster_job* job, const char* reason, int exit_code) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(job, "job").good()) return given.problem();
    return job->job.fail(muster::c::text(reason), exit_code);
  });
}

muster_status muster_job_leave(muster_job* job, double timeout) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const auto deadline = given.need(job, "job").deadline(timeout);
    if (!given.good()) return given.problem();
    return job->job.leave(deadline);
  });
}

muster_status muster_job_leave_now(muster_job* job) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(job, "job").good()) return given.problem();
    job->job.leave_now();
    return {};
  });
}

void muster_job_free(muster_job* job) {
  const std::unique_ptr<muster_job> freed(job);
}
