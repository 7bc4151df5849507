// A whole job on one page: join, say who is there, agree on a configuration, leave.
//
//   muster run -n 4 -- hello
//
// It can also misbehave, to show what the others are told:
//   --absent-rank R   rank R runs, but never joins (for a minute)
//   --drift-rank R    rank R holds another learning rate than the rest
//   --die-rank R      rank R is killed while the others wait for it
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <unistd.h>

#include <muster/muster.hpp>

namespace {

/// The rank given with `option`, or no_rank.
std::uint32_t rank_option(int argc, char** argv, const char* option) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], option) != 0) continue;
    return static_cast<std::uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
  }
  return muster::no_rank;
}

/// Whether every argument is one of the options above.
bool understood(int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    const bool known =
        option == "--absent-rank" || option == "--drift-rank" || option == "--die-rank";
    if (known && i + 1 < argc) continue;
    std::fprintf(stderr, "hello: %s: expected --absent-rank, --drift-rank or --die-rank, and R\n",
                 argv[i]);
    return false;
  }
  return true;
}

std::string who_am_i() {
  char host[256] = "";
  ::gethostname(host, sizeof(host) - 1);
  return std::string(host) + ", pid " + std::to_string(::getpid());
}

void say(std::uint32_t rank, const std::string& line) {
  std::printf("rank %u: %s\n", rank, line.c_str());
  std::fflush(stdout);
}

int hello(int argc, char** argv) {
  const muster::JoinOptions options = muster::JoinOptions::from_environment().value();
  const std::uint32_t rank = *options.rank;
  if (rank == rank_option(argc, argv, "--absent-rank")) {
    say(rank, "will not join");
    std::this_thread::sleep_for(std::chrono::minutes{1});  // taste: it is meant to do nothing
    return 0;
  }

  muster::Job job = muster::Job::join(options).value();
  say(rank, "joined job " + std::string(job.id()) + " of " + std::to_string(job.size()));

  if (rank == rank_option(argc, argv, "--die-rank")) std::raise(SIGKILL);
  job.world().barrier("all here").value();
  say(rank, "all are here");

  const auto everyone = job.world().allgatherv(muster::as_bytes(who_am_i()), "who").value();
  for (std::uint32_t other = 0; rank == 0 && other < everyone.size(); ++other) {
    say(rank,
        "rank " + std::to_string(other) + " is " + std::string(muster::as_text(everyone[other])));
  }

  const bool drifts = rank == rank_option(argc, argv, "--drift-rank");
  const muster::Contract contract = muster::Contract::Builder{}
                                        .real("learning_rate", drifts ? 0.02 : 0.01)
                                        .integer("steps", 1000)
                                        .build()
                                        .value();
  job.agree(contract).value();
  say(rank, "past the gate");

  job.leave().value();
  say(rank, "left");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (!understood(argc, argv)) return 2;
  try {
    return hello(argc, argv);
  } catch (const muster::Failed& failure) {
    std::fprintf(stderr, "hello: %s\n", failure.what());
    return failure.error().exit_code;
  }
}
