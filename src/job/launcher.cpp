#include "job/launcher.hpp"

#include <array>
#include <fmt/format.h>
#include <vector>

#include <muster/ids.hpp>

#include "base/limits.hpp"
#include "base/usage_error.hpp"
#include "job/slurm.hpp"
#include "net/url.hpp"

namespace muster {
namespace {

constexpr const char* start_again = "let the launcher set both, or set MUSTER_RANK and MUSTER_SIZE";

/// Value. Who may have started this process, and where it says so.
struct Launcher {
  const char* name;
  const char* rank;
  const char* size = nullptr;        ///< null: it does not say, MUSTER_SIZE has to
  const char* step = nullptr;        ///< what must be set as well, or null
  const char* step_size = nullptr;   ///< if this is set, it must be what `size` is
  const char* if_not = start_again;  ///< what to do when the set is not whole
  bool starts_nodes = false;  ///< its tasks may be agents of another launcher, which start ranks

  const char* size_name() const { return size != nullptr ? size : "MUSTER_SIZE"; }
};

/// Places in `launchers`.
enum : std::size_t { torchrun, open_mpi, pmi, slurm, kubernetes };
/// The first that has said something is believed.
constexpr std::array<Launcher, 5> launchers{{
    {.name = "torchrun", .rank = "RANK", .size = "WORLD_SIZE"},
    {.name = "Open MPI", .rank = "OMPI_COMM_WORLD_RANK", .size = "OMPI_COMM_WORLD_SIZE"},
    {.name = "PMI", .rank = "PMI_RANK", .size = "PMI_SIZE"},
    // In a batch script Slurm sets rank and size, and there is no step: nobody has started the
    // other ranks. The shell of an allocation may be a step, but one of a single task; and a script
    // that was submitted from within a step has inherited that one's variables.
    {.name = "Slurm",
     .rank = "SLURM_PROCID",
     .size = "SLURM_NTASKS",
     .step = "SLURM_STEP_ID",
     .step_size = "SLURM_STEP_NUM_TASKS",
     .if_not = "start the ranks with srun",
     .starts_nodes = true},
    {.name = "Kubernetes",
     .rank = "JOB_COMPLETION_INDEX",
     .if_not = "set MUSTER_SIZE to the count of completions",
     .starts_nodes = true},
}};

/// Value. What one of them says.
struct Said {
  const Launcher* by = nullptr;
  std::uint32_t rank = 0;
  std::uint32_t size = 0;

  std::string text() const {
    return fmt::format("{} ({}, {}) says rank {} of {}", by->name, by->rank, by->size_name(), rank,
                       size);
  }
};

/// Resource; asks once.
class Asking {
 public:
  Asking(const Lookup& look_up, const Known& known)
      : look_up_(look_up), variables_(look_up), known_(known) {}

  Result<Launched> ask() {
    take_numbers();
    if (!variables_.problem()) check_rank();
    if (!variables_.problem() && !known_.address) find_address();
    if (!variables_.problem()) name_job();
    if (variables_.problem()) return *variables_.problem();
    return place_;
  }

 private:
  void take_numbers();
  std::string gap(const Launcher& launcher) const;
  std::uint32_t take_size(const char* variable);
  std::optional<Said> hear(const Launcher& launcher);
  std::optional<Said> believe(const std::vector<Said>& all);
  void say_no_place();
  void check_rank();
  void find_address();
  void say_no_address();
  void take_master();
  void take_host_of_rank_0();
  void name_job();
  bool agrees(const std::optional<Said>& said) const {
    return said && said->rank == place_.rank && said->size == place_.size;
  }
  void fail(std::string what, std::string advice) {
    variables_.fail(usage_error(std::move(what), std::move(advice)));
  }

  const Lookup& look_up_;
  Variables variables_;
  const Known& known_;
  Launched place_;
  std::optional<Error> incomplete_;  ///< of the first launcher that left half of its set
  std::optional<Said> said_;         ///< by whom the numbers are, unless they are MUSTER_*'s
  std::optional<Said> step_;         ///< Slurm's, also when somebody else is believed
};

std::uint32_t Asking::take_size(const char* variable) {
  const std::uint32_t size = *variables_.number(variable);
  if (size >= 1 && size <= limits::ranks_max) return size;
  variables_.fail(bad_variable(variable, *variables_.text(variable),
                               fmt::format("expected 1 to {}", limits::ranks_max)));
  return 1;
}

/// Why the set of `launcher` is not whole; empty if it is.
std::string Asking::gap(const Launcher& launcher) const {
  const auto unset = [](const char* variable) { return fmt::format("{} is not set", variable); };
  if (launcher.step != nullptr && !variables_.has(launcher.step)) return unset(launcher.step);
  const bool says_size =
      launcher.size != nullptr ? variables_.has(launcher.size) : known_.size.has_value();
  if (!says_size) return unset(launcher.size_name());
  if (launcher.step_size == nullptr || !variables_.has(launcher.step_size)) return "";
  const auto all = variables_.text(launcher.size);
  const auto in_step = variables_.text(launcher.step_size);
  if (in_step == all) return "";
  return fmt::format("{} is {}, but {} is {}", launcher.step_size, *in_step, launcher.size, *all);
}

/// What `launcher` says, if it says all of it.
std::optional<Said> Asking::hear(const Launcher& launcher) {
  if (!variables_.has(launcher.rank)) return std::nullopt;
  const std::string why_not = gap(launcher);
  if (!why_not.empty()) {
    if (!incomplete_) {
      incomplete_ = usage_error(
          fmt::format("{} is set, by {}, and {}", launcher.rank, launcher.name, why_not),
          launcher.if_not);
    }
    return std::nullopt;
  }
  return Said{.by = &launcher,
              .rank = *variables_.number(launcher.rank),
              .size = launcher.size != nullptr ? take_size(launcher.size) : *known_.size};
}

/// Whoever starts ranks knows better than who starts one agent a node. But an agent starts one rank
/// or more: who says fewer has left its variables behind, or is not meant.
std::optional<Said> Asking::believe(const std::vector<Said>& all) {
  if (all.empty()) return std::nullopt;
  const Said& first = all.front();
  for (const Said& other : all) {
    const bool nested = other.by->starts_nodes && !first.by->starts_nodes;
    const bool same = other.rank == first.rank && other.size == first.size;
    const bool fits = other.by->size == nullptr || (nested && other.size <= first.size);
    if (same || fits) continue;
    fail(fmt::format("launchers contradict each other: {}, {}", first.text(), other.text()),
         "unset the variables that are not meant, or set MUSTER_RANK and MUSTER_SIZE");
  }
  return first;
}

void Asking::take_numbers() {
  std::vector<Said> all;
  if (known_.rank && known_.size) {
    // Slurm may still know an address; if its set is not whole, it does not.
    if (!known_.address) step_ = hear(launchers[slurm]);
  } else {
    for (const Launcher& launcher : launchers) {
      const auto said = hear(launcher);
      if (!said) continue;
      all.push_back(*said);
      if (&launcher == &launchers[slurm]) step_ = said;
    }
    if (!variables_.problem()) said_ = believe(all);
    if (!said_ && incomplete_) variables_.fail(*incomplete_);
    if (!said_) return say_no_place();
  }
  place_.rank = known_.rank ? *known_.rank : said_->rank;
  place_.size = known_.size ? *known_.size : said_->size;
}

void Asking::say_no_place() {
  std::string unset;
  if (!known_.rank) unset += " MUSTER_RANK";
  if (!known_.size) unset += " MUSTER_SIZE";
  if (!known_.address) unset += " MUSTER_URL";
  fail("no launcher has said this process's place in a job, and these are not set:" + unset,
       "start the process with `muster run` or another launcher, or set MUSTER_RANK to its number, "
       "from 0, MUSTER_SIZE to the count of processes, MUSTER_URL to where rank 0 is to serve");
}

void Asking::check_rank() {
  if (place_.rank < place_.size) return;
  const char* rank = known_.rank ? "MUSTER_RANK" : said_->by->rank;
  const char* size = known_.size ? "MUSTER_SIZE" : said_->by->size_name();
  variables_.fail(
      bad_variable(rank, std::to_string(place_.rank),
                   fmt::format("expected less than {}, which is {}", size, place_.size)));
}

void Asking::find_address() {
  const bool by_torchrun = said_ && said_->by == &launchers[torchrun];
  const bool has_master = variables_.has("MASTER_ADDR") || variables_.has("MASTER_PORT");
  if (place_.size == 1) {
    place_.url = "tcp://127.0.0.1:0";  // nobody else is to find it
  } else if (!by_torchrun && agrees(step_)) {
    take_host_of_rank_0();
  } else if (has_master) {
    take_master();
  } else {
    return say_no_address();
  }
  const Result<net::Url> sound = net::Url::parse(place_.url);
  if (!variables_.problem() && !sound) {
    fail(fmt::format("{}: {}", place_.url_origin, sound.error().what),
         "expected the name or the address of a host; or set MUSTER_URL");
  }
}

void Asking::say_no_address() {
  const std::string by = said_ ? fmt::format("{} and {} ({})", said_->by->rank,
                                             said_->by->size_name(), said_->by->name)
                               : "MUSTER_RANK and MUSTER_SIZE";
  fail(fmt::format("MUSTER_URL is not set, and {} say no address for this job of {} ranks", by,
                   place_.size),
       "set MUSTER_URL to where rank 0 is to serve, for example tcp://node0:29400, or "
       "MUSTER_UID_FILE to the file of a unique id: the same for all ranks; or start the "
       "processes with `muster run`");
}

/// torch's own store listens on MASTER_PORT; the port behind it is the job's.
void Asking::take_master() {
  const auto host = variables_.text("MASTER_ADDR");
  const auto port = variables_.number("MASTER_PORT");
  if (!host || !port) {
    return fail(fmt::format("{} is set, and {} is not set", host ? "MASTER_ADDR" : "MASTER_PORT",
                            host ? "MASTER_PORT" : "MASTER_ADDR"),
                "set both, or MUSTER_URL");
  }
  if (*port < 1 || *port >= 65535) {
    return variables_.fail(bad_variable("MASTER_PORT", std::to_string(*port),
                                        "expected 1 to 65534, since the port behind it is used; "
                                        "or set MUSTER_URL"));
  }
  const bool bare_ipv6 = host->find(':') != host->npos && host->front() != '[';
  const std::string written = bare_ipv6 ? fmt::format("[{}]", *host) : std::string(*host);
  place_.url = fmt::format("tcp://{}:{}", written, *port + 1);
  place_.url_origin = "MASTER_ADDR and the port behind MASTER_PORT";
}

void Asking::take_host_of_rank_0() {
  const auto list = variables_.text("SLURM_STEP_NODELIST");
  const auto job = variables_.number("SLURM_JOB_ID");
  const auto step = variables_.number("SLURM_STEP_ID");
  if (!list || !job) {
    return fail(fmt::format("{} is not set", list ? "SLURM_JOB_ID" : "SLURM_STEP_NODELIST"),
                "start the ranks with srun, or set MUSTER_URL");
  }
  const auto host = host_of_rank_0(*list, look_up_);
  if (!host) {
    return variables_.fail(bad_variable("SLURM_STEP_NODELIST", *list,
                                        "expected hosts like node[003-005,9],login; or set "
                                        "MUSTER_URL"));
  }
  // The list is sorted, and says nothing about where a user's own order of hosts begins.
  const std::string_view order = variables_.text("SLURM_DISTRIBUTION").value_or("");
  if (order.starts_with("arbitrary") && *host != *list) {
    return fail(fmt::format("SLURM_DISTRIBUTION is {}: rank 0 may be on any host of "
                            "SLURM_STEP_NODELIST, {}",
                            order, *list),
                "set MUSTER_URL to where rank 0 is to serve, the same for all ranks");
  }
  place_.url = fmt::format("tcp://{}:{}", *host, step_port(*job, *step));
  place_.url_origin = "SLURM_STEP_NODELIST, SLURM_JOB_ID and SLURM_STEP_ID";
}

void Asking::name_job() {
  if (said_ && said_->by == &launchers[torchrun]) {
    const auto run = variables_.parsed("TORCHELASTIC_RUN_ID", [](std::string_view text) {
      // What torchrun says if nobody gave the run a name.
      if (text == "none") return Result<std::string>(std::string());
      if (Result<void> good = check_job_id(text); !good) {
        return Result<std::string>(std::move(good).error());
      }
      return Result<std::string>(std::string(text));
    });
    place_.job_id = run.value_or("");
  } else if (agrees(step_)) {
    const auto job = variables_.number("SLURM_JOB_ID");
    const auto step = variables_.number("SLURM_STEP_ID");
    // A job that was queued again counts its steps from 0 again.
    const auto restarts = variables_.number("SLURM_RESTART_COUNT").value_or(0);
    if (job && step) place_.job_id = fmt::format("{}.{}", *job, *step);
    if (job && step && restarts > 0) place_.job_id += fmt::format(".{}", restarts);
  }
}

}  // namespace

Result<Launched> ask_launcher(const Lookup& look_up, const Known& known) {
  return Asking(look_up, known).ask();
}

}  // namespace muster
