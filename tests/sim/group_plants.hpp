/// \file
/// Planted faults that go by groups.
#pragma once

#include <cstdint>
#include <memory>

#include "plant.hpp"

namespace muster::sim {

/// A barrier's verdict is given as soon as all but one have arrived, in the world of `size` ranks
/// and in subsets.
std::unique_ptr<Plant> make_early_round(std::uint32_t size);
/// A close is answered, and the subset kept.
std::unique_ptr<Plant> make_forgotten_close();
/// What breaks a subset is said to be a rank outside it.
std::unique_ptr<Plant> make_foreign_name(std::uint32_t size);
/// A subset's parts come in the order of its members' ranks in the job.
std::unique_ptr<Plant> make_parts_by_job_rank();

}  // namespace muster::sim
