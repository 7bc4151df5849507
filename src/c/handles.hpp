/// \file
/// What stands behind the opaque handles of the C API.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <muster/contract.hpp>
#include <muster/group.hpp>
#include <muster/job.hpp>
#include <muster/muster.h>
#include <muster/parts.hpp>
#include <muster/store.hpp>
#include <muster/unique_id.hpp>

#include "group/pending_round.hpp"

struct muster_contract {
  muster::Contract::Builder builder;
};

struct muster_error {
  muster::Error error;
  std::string text;
};

struct muster_group {
  muster::Group* group = nullptr;
  std::unique_ptr<muster::Group> owned = nullptr;  ///< none: a job's world
};

struct muster_store {
  muster::Store* store = nullptr;
  std::unique_ptr<muster::Store> owned = nullptr;  ///< none: a job's
};

struct muster_job {
  explicit muster_job(muster::Job joined);

  muster::Job job;
  muster_group world;
  muster_store store;
  std::string id;
  std::string url;
  std::string epoch;
};

struct muster_parts {
  muster::Parts parts;
  std::vector<bool> absent = {};  ///< empty: none is
};

struct muster_request {
  std::unique_ptr<muster::PendingRound> round;
};

struct muster_unique_id {
  muster::UniqueId id;
};
