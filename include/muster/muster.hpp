/// \file
/// All of Muster's C++ API.
#pragma once

#include <muster/agreement.hpp>
#include <muster/bytes.hpp>
#include <muster/contract.hpp>
#include <muster/deadline.hpp>
#include <muster/digest.hpp>
#include <muster/f332.hpp>
#include <muster/group.hpp>
#include <muster/ids.hpp>
#include <muster/job.hpp>
#include <muster/join_options.hpp>
#include <muster/key_group.hpp>
#include <muster/log.hpp>
#include <muster/parts.hpp>
#include <muster/plugin_group.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>
#include <muster/security.hpp>
#include <muster/store.hpp>
#include <muster/unique_id.hpp>
