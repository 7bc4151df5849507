// muster_bench: Muster beside the floor, both in the same run, taking turns, so that what the
// machine does besides happens to both.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "crew.hpp"
#include "herd.hpp"
#include "measures.hpp"

namespace muster::bench {
namespace {

/// Value. What came out of one measure: medians.
struct Row {
  double floor = 0;
  double muster = 0;
  double judged = 0;  ///< their ratio, or Muster's number where there is no floor
  bool met = false;
};

Row measure(const Measure& what, const Scale& scale, int turns) {
  std::vector<double> floors, musters;
  for (int turn = 0; turn < turns; ++turn) {
    if (what.floor) floors.push_back(what.floor(scale));
    musters.push_back(what.muster(scale));
  }
  Row row;
  row.muster = median(musters);
  row.judged = row.muster;
  if (what.floor) {
    row.floor = median(floors);
    row.judged = row.muster / row.floor;
  }
  if (!what.target) return row;
  row.met = what.more_is_better ? row.judged >= *what.target : row.judged <= *what.target;
  return row;
}

void print_row(const Measure& what, const Row& row, bool tiny) {
  const char* relation = what.more_is_better ? ">=" : "<=";
  const std::string unit = what.floor ? "" : " " + what.unit;
  const std::string target =
      what.target ? fmt::format("{} {}{}", relation, *what.target, unit) : "none";
  fmt::print("{:<38} {:>10} {:>10.1f} {:<4} {:>7} {:>14}  {}\n", what.name,
             what.floor ? fmt::format("{:.1f}", row.floor) : "-", row.muster, what.unit,
             what.floor ? fmt::format("{:.2f}", row.judged) : "-", target,
             tiny || !what.target ? "not judged"
             : row.met            ? "met"
                                  : "MISSED");
  std::fflush(stdout);
}

/// Resource. A folder for sockets, gone with it.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string made = (std::filesystem::temp_directory_path() / "muster_bench.XXXXXX").string();
    if (mkdtemp(made.data()) == nullptr) give_up("no folder for sockets");
    path_ = made;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int run(int argc, char** argv) {
  CLI::App app("Muster's speed beside the least that kernel and sockets allow");
  bool tiny = false, over_unix = false;
  int turns = 5;
  std::string json_file, only;
  app.add_flag("--tiny", tiny, "only show that everything runs; judge nothing");
  app.add_flag("--unix", over_unix, "Unix sockets instead of TCP on loopback, on both sides");
  app.add_option("--turns", turns, "turns of each side; medians count")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--only", only, "only measures whose name contains this");
  app.add_option("--json", json_file, "write the numbers to this file, too");
  CLI11_PARSE(app, argc, argv);

  raise_descriptor_limit();
  const PrivateFolder folder;
  const Scale scale{.transport = over_unix ? Transport::unix_socket : Transport::tcp,
                    .folder = folder.path(),
                    .tiny = tiny};
  nlohmann::json numbers = nlohmann::json::array();
  fmt::print("{:<38} {:>10} {:>10} {:<4} {:>7} {:>14}\n", over_unix ? "unix" : "tcp", "floor",
             "muster", "", "ratio", "target");
  for (const Measure& what : measures(tiny)) {
    if (what.name.find(only) == std::string::npos) continue;
    const Row row = measure(what, scale, tiny ? 1 : turns);
    print_row(what, row, tiny);
    numbers.push_back({{"name", what.name},
                       {"unit", what.unit},
                       {"floor", row.floor},
                       {"muster", row.muster},
                       {"judged", row.judged},
                       {"target", what.target ? nlohmann::json(*what.target) : nullptr},
                       {"met", row.met}});
  }
  if (!json_file.empty()) {
    std::FILE* file = std::fopen(json_file.c_str(), "w");
    if (file == nullptr) give_up("cannot write " + json_file);
    fmt::print(file, "{}\n", numbers.dump(2));
    std::fclose(file);
  }
  return numbers.empty() ? 2 : 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  return muster::bench::run(argc, argv);
}
