// One rank of an MPI job that joins a whole Job by MPI, as MUSTER_PLUGIN=mpi has it.

#include <cstdio>
#include <string>

#include <muster/job.hpp>

namespace muster {
namespace {

int wrong(const char* what, const Error& error) {
  std::fprintf(stderr, "%s: %s\n", what, error.text().c_str());
  return 1;
}

int run() {
  auto options = JoinOptions::from_environment();
  if (!options) return wrong("options", options.error());
  options->join_timeout = std::chrono::seconds{30};
  options->operation_timeout = std::chrono::seconds{30};
  auto job = Job::join(*std::move(options));
  if (!job) return wrong("join", job.error());
  const std::string key = "rank " + std::to_string(job->rank());
  if (auto set = job->store().set(key, as_bytes(job->id())); !set) return wrong("set", set.error());
  if (auto done = job->world().barrier("all have set"); !done) {
    return wrong("barrier", done.error());
  }
  for (std::uint32_t rank = 0; rank < job->size(); ++rank) {
    const auto got = job->store().get("rank " + std::to_string(rank));
    if (!got) return wrong("get", got.error());
    if (as_text(*got) != job->id()) return wrong("another job", {});
  }
  const auto size = job->size();
  if (auto left = job->leave(); !left) return wrong("leave", left.error());
  std::printf("one of %u has left\n", size);
  return size == 4 ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main() {
  return muster::run();
}
