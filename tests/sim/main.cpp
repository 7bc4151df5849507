/// muster_sim: runs simulated jobs, one for each seed, until one breaks an invariant.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.hpp"
#include "plant.hpp"
#include "world.hpp"

namespace {

using muster::sim::FiberPool;
using muster::sim::RunOptions;
using muster::sim::RunResult;

constexpr const char* usage =
    "usage: muster_sim [--seeds N] [--first S] [--fresh N] [--plant NAME]\n"
    "       muster_sim --seed S [--trace] [--plant NAME]\n"
    "\n"
    "  --seeds N     run the seeds S, S + 1, ... S + N - 1 (default 200)\n"
    "  --first S     ... from here on (default 1)\n"
    "  --fresh N     run N seeds that nobody has seen yet\n"
    "  --seed S      run one seed\n"
    "  --trace       print what happens\n"
    "  --plant NAME  with a fault planted into the server:\n";

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t count = 200;
  std::uint64_t fresh = 0;
  RunOptions run;
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Nothing: the command line makes no sense.
std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--trace") {
      arguments.run.trace = true;
      continue;
    }
    if (++i == argc) return std::nullopt;
    const std::string_view text = argv[i];
    if (option == "--plant") {
      if (!muster::sim::make_plant(text, 1)) return std::nullopt;
      arguments.run.plant = text;
      continue;
    }
    const auto value = number(text);
    if (!value) return std::nullopt;
    if (option == "--seeds") {
      arguments.count = *value;
    } else if (option == "--first") {
      arguments.first = *value;
    } else if (option == "--fresh") {
      arguments.fresh = *value;
    } else if (option == "--seed") {
      arguments.first = *value;
      arguments.count = 1;
    } else {
      return std::nullopt;
    }
  }
  return arguments;
}

void report(std::string_view program, const RunOptions& run, const muster::sim::Finding& finding) {
  const std::string plant = run.plant.empty() ? "" : " --plant " + run.plant;
  fmt::print("seed {} failed: {}: {}\nreplay it with: {} --seed {} --trace{}\n", run.seed,
             finding.invariant, finding.how, program, run.seed, plant);
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = parse(argc, argv);
  if (!arguments) {
    fmt::print(stderr, "{}{}", usage, muster::sim::plant_names());
    return 2;
  }
  RunOptions run = arguments->run;
  std::uint64_t count = arguments->count;
  std::uint64_t first = arguments->first;
  if (arguments->fresh != 0) {
    count = arguments->fresh;
    first = muster::system_random().next() >> 16;
  }
  FiberPool pool;
  std::uint64_t collectives = 0;
  const auto begun = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < count; ++i) {
    run.seed = first + i;
    const RunResult result = muster::sim::run_seed(pool, run);
    collectives += result.collectives;
    if (result.findings.empty()) continue;
    report(argv[0], run, result.findings.front());
    return 1;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
  fmt::print("{} seeds from {}: {} jobs, {} collectives, {:.2f} s ({:.0f} seeds a second)\n", count,
             first, count, collectives, seconds.count(),
             static_cast<double>(count) / seconds.count());
  return 0;
}
