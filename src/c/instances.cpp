// Jobs by number. The table is the process's; the lock is not held over a join or a leave.

#include <fmt/format.h>
#include <map>
#include <memory>

#include "base/fork.hpp"
#include "c/arguments.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"
#include "c/options.hpp"

using muster::Code;
using muster::Error;
using muster::Result;
using muster::c::Arguments;
using muster::c::guarded;

namespace {

struct Instance {
  muster::HomeProcess home;
  std::unique_ptr<muster_job> job;  ///< none: it is being joined
};

/// To be asked for while hold_forks() is held: so a child never inherits a lock or half a table.
std::map<std::uint32_t, Instance>& instances() {
  static std::map<std::uint32_t, Instance> all;
  return all;
}

/// The instance of this process; a parent's is none.
Instance* find(std::uint32_t id) {
  const auto found = instances().find(id);
  return found != instances().end() && found->second.home.here() ? &found->second : nullptr;
}

enum class Place : std::uint8_t { reserved, there_already };

Result<Place> reserve(std::uint32_t id) {
  const auto lock = muster::hold_forks();
  const Instance* other = find(id);
  if (other == nullptr) {
    // What a forked child has inherited is its parent's, and left alone.
    Instance& inherited = instances()[id];
    static_cast<void>(inherited.job.release());
    inherited = Instance{};
    return Place::reserved;
  }
  if (other->job) return Place::there_already;
  return Error{.code = Code::busy,
               .what = fmt::format("another thread is just joining or leaving instance {}", id),
               .advice = "wait for that thread, or take another number"};
}

/// What was reserved becomes `job`, or free again.
void settle(std::uint32_t id, std::unique_ptr<muster_job> job) {
  const auto lock = muster::hold_forks();
  if (job) {
    find(id)->job = std::move(job);
  } else {
    instances().erase(id);
  }
}

/// The job of instance `id`, which nobody finds any more from now on.
std::unique_ptr<muster_job> take(std::uint32_t id) {
  const auto lock = muster::hold_forks();
  Instance* instance = find(id);
  return instance != nullptr ? std::move(instance->job) : nullptr;
}

/// A reserved place is settled whatever happens.
class Reserved {
 public:
  explicit Reserved(std::uint32_t id) : id_(id) {}
  ~Reserved() { settle(id_, std::move(job)); }
  Reserved(const Reserved&) = delete;

  std::unique_ptr<muster_job> job;

 private:
  const std::uint32_t id_;
};

}  // namespace

muster_status muster_instance_join(uint32_t id, const muster_join_options* options) {
  return guarded([&]() -> Result<void> {
    auto wanted = muster::c::to_join_options(options);
    if (!wanted) return std::move(wanted).error();
    if (!wanted->log) wanted->log = muster::log_to_stderr();
    if (wanted->instance == 0) wanted->instance = id;
    const auto place = reserve(id);
    if (!place) return place.error();
    if (*place == Place::there_already) {
      wanted->log(muster::LogLevel::warning,
                  fmt::format("instance {} is there already: it is not joined again", id));
      return {};
    }
    Reserved reserved(id);
    const auto joined = muster::c::join(*wanted);
    if (!joined) return joined.error();
    reserved.job.reset(*joined);
    return {};
  });
}

muster_job* muster_instance_job(uint32_t id) {
  const auto lock = muster::hold_forks();
  const Instance* instance = find(id);
  return instance != nullptr ? instance->job.get() : nullptr;
}

muster_status muster_instance_finalize(uint32_t id, double timeout) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const auto deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    std::unique_ptr<muster_job> job = take(id);
    if (!job) {
      return Error{.code = Code::invalid_argument,
                   .what = fmt::format("there is no instance {}", id),
                   .advice =
                       "expected a number that muster_instance_join was called with, and "
                       "muster_instance_finalize was not"};
    }
    const Reserved left(id);  // free again when the job is gone
    Result<void> result = job->job.leave(deadline);
    job.reset();
    return result;
  });
}
