/// \file
/// Whether the system lets a server have as many connections as its job has ranks.
#pragma once

#include <cstdint>
#include <string>

#include <muster/result.hpp>

namespace muster::server {

/// Raises this process's limit of open files as far as it may raise it itself, and checks that a
/// connection for each of `ranks` fits, with limits::descriptors_reserve for everything else.
/// `system` says what is needed and what there is. 0 ranks, not known yet, always fit.
Result<void> make_descriptors_suffice(std::uint32_t ranks);

/// What to warn of, empty for nothing: when more ranks connect at once than the kernel queues for a
/// listener, some are turned away by the kernel and have to try again.
std::string queue_warning(std::uint32_t ranks);

}  // namespace muster::server
