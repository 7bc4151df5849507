/// \file
/// Messages over MPI, on a communicator of their own.
#pragma once

#include <memory>
#include <mpi.h>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "mpi/messages.hpp"

namespace muster::plugins {

/// MPI is initialised. All ranks of `parent` call this; it waits for them until `deadline`.
/// `finalize`: MPI is to be finalised when all is closed.
Result<std::unique_ptr<Messages>> make_mpi_messages(MPI_Comm parent, bool finalize,
                                                    TimePoint deadline);

/// What `error`, which an MPI function has returned, means.
Error mpi_error(const char* function, int error);

}  // namespace muster::plugins
