/// \file
/// The plugin of MPI jobs; built once for each MPI.
///
/// Argument: null for MPI_COMM_WORLD, or an `MPI_Comm*`. If nobody has initialised MPI, the plugin
/// does, with MPI_THREAD_MULTIPLE, and finalises it when its last group has left; otherwise it
/// works with what it finds:
/// - MPI_THREAD_MULTIPLE: a thread of its own makes all MPI calls;
/// - less: the calling thread makes them, during calls only, and it must be one that may. While
///   rank 0 is in no call nobody judges: the others then end at their deadlines without a verdict,
///   and their groups are broken.
/// Groups leave before the program calls MPI_Finalize; those that have not are broken then.

#include <cstdlib>
#include <mpi.h>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "common/group_plugin.hpp"
#include "mpi/mpi_messages.hpp"
#include "mpi/tunnel.hpp"

#ifdef OPEN_MPI
#define MUSTER_MPI_NAME "Open MPI"
#else
#define MUSTER_MPI_NAME "MPICH"
#endif

namespace muster::plugins {
namespace {

/// Value. What became of MPI.
struct Mpi {
  int threads = MPI_THREAD_SINGLE;
  bool ours = false;
};

/// A launcher that this MPI does not understand starts, to its eyes, many jobs of one rank.
Result<void> check_launcher(bool ours) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!ours || size > 1) return {};
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* told = std::getenv(variable);
    if (told == nullptr) continue;
    if (std::string_view(told) == "1") return {};
    return Error{.code = Code::invalid_argument,
                 .what = std::string(variable) + " is " + quoted(told) +
                         ", but " MUSTER_MPI_NAME
                         " knows of this rank only: the launcher is "
                         "another MPI's",
                 .advice =
                     "start the job with the launcher of this MPI (srun: --mpi=pmix or "
                     "--mpi=pmi2), or name the plugin of the launcher's: mpi_openmpi or "
                     "mpi_mpich"};
  }
  return {};
}

Result<Mpi> initialize() {
  int is = 0;
  Mpi mpi;
  MPI_Finalized(&is);
  if (is != 0) {
    return Error{.code = Code::invalid_state,
                 .what = "MPI has been finalised in this process",
                 .advice = "make groups before MPI_Finalize"};
  }
  MPI_Initialized(&is);
  if (is == 0) {
    if (const int bad = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &mpi.threads)) {
      return mpi_error("MPI_Init_thread", bad);
    }
    mpi.ours = true;
  } else {
    MPI_Query_thread(&mpi.threads);
  }
  return mpi;
}

Result<std::unique_ptr<Member>> join(const Start& start) {
  const auto mpi = initialize();
  if (!mpi) return mpi.error();
  if (auto good = check_launcher(mpi->ours); !good) return std::move(good).error();
  int main_thread = 0;
  MPI_Is_thread_main(&main_thread);
  if (mpi->threads < MPI_THREAD_SERIALIZED && main_thread == 0) {
    return Error{.code = Code::invalid_state,
                 .what =
                     "MPI was initialised for calls of its main thread only, and this is "
                     "another one",
                 .advice = "initialise MPI with MPI_THREAD_MULTIPLE"};
  }
  const auto* comm = static_cast<const MPI_Comm*>(start.argument);
  auto messages =
      make_mpi_messages(comm == nullptr ? MPI_COMM_WORLD : *comm, mpi->ours, start.deadline);
  if (!messages) return std::move(messages).error();
  const auto carrier = mpi->threads == MPI_THREAD_MULTIPLE ? Carrier::own_thread : Carrier::caller;
  return join_tunnel(*std::move(messages), carrier, start.deadline);
}

int init(const muster_plugin_start* start, muster_plugin_world* world, muster_plugin_error* error) {
  return begin(start, world, error, join);
}

muster_plugin make_table() {
  muster_plugin table =
      group_plugin("mpi, for " MUSTER_MPI_NAME,
                   group_functions | MUSTER_PLUGIN_BOUNDED | MUSTER_PLUGIN_TELLS_MISSING |
                       MUSTER_PLUGIN_ANY_THREAD | MUSTER_PLUGIN_PROGRESS);
  table.init = init;
  return table;
}

}  // namespace
}  // namespace muster::plugins

extern "C" MUSTER_API const muster_plugin* muster_plugin_get(std::uint32_t host_version) {
  static const muster_plugin table = muster::plugins::make_table();
  return host_version == MUSTER_PLUGIN_VERSION ? &table : nullptr;
}
