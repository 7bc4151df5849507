/// \file
/// Which MPI this is built for, and what that one needs.
#pragma once

#include <bit>
#include <dlfcn.h>
#include <mpi.h>

#ifdef OPEN_MPI
#define MUSTER_MPI_NAME "Open MPI"
#else
#define MUSTER_MPI_NAME "MPICH"
#endif

namespace muster::plugins {

/// Open MPI loads components that take its symbols from the process and are not linked with it. A
/// plugin is loaded RTLD_LOCAL, and so is what it is linked with: those components would not be
/// found to work, one by one, until MPI_Init gives up. For MPICH it changes nothing.
inline void make_visible() {
  Dl_info library{};
  if (dladdr(std::bit_cast<const void*>(&MPI_Init_thread), &library) == 0) return;
  dlopen(library.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

}  // namespace muster::plugins
