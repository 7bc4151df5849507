// A stranger's program: a job of one rank that uses what it found installed.
#include <cstdio>

#include <muster/muster.hpp>

namespace {

/// An exception of the library must be caught as what it is, whichever way that was linked.
bool refusal_is_caught() try {
  muster::Job::join({.url = "nonsense://", .rank = 0, .size = 1}).value();
  return false;
} catch (const muster::Failed& failure) {
  return failure.error().code == muster::Code::invalid_argument;
}

void use_a_job() {
  muster::JoinOptions options{.url = "tcp://127.0.0.1:0", .rank = 0, .size = 1};
  options.contract = muster::Contract::Builder{}.integer("batch", 32).build().value();
  auto job = muster::Job::join(options).value();
  job.store().set("greeting", muster::as_bytes("good morning")).value();
  job.world().barrier("all here").value();
  const muster::Value value = job.store().wait_get("greeting").value();
  std::printf("%.*s from rank %u of %u\n", static_cast<int>(value.size()),
              reinterpret_cast<const char*>(value.data()), job.rank(), job.size());
  job.leave().value();
}

}  // namespace

int main() try {
  if (!refusal_is_caught()) return 2;
  use_a_job();
} catch (const muster::Failed& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
