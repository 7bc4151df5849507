#include <string>
#include <utility>

#include <muster/muster.h>

#include "base/seconds.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"

namespace muster::c {
namespace {

struct Last {
  muster_error kept;
  bool there = false;
};
thread_local Last last;

muster_status number(Code code) noexcept {
  return static_cast<muster_status>(code);
}

}  // namespace

muster_status keep_nothing() noexcept {
  last.there = false;
  return MUSTER_OK;
}

muster_status keep(Error error) noexcept {
  try {
    std::string text = error.text();
    last.kept = {std::move(error), std::move(text)};
    last.there = true;
    return number(last.kept.error.code);
  } catch (...) {
    return keep_out_of_memory();
  }
}

/// Without any: what it says is short enough for the strings themselves.
muster_status keep_out_of_memory() noexcept {
  constexpr const char* what = "out of memory";
  last.kept.error = Error{.code = Code::system};
  last.kept.error.what = what;
  last.kept.text = what;
  last.there = true;
  return MUSTER_SYSTEM;
}

muster_status keep_exception(const char* what) noexcept {
  try {
    return keep(Error{.code = Code::system,
                      .what = std::string("an exception in the library or a handler: ") + what,
                      .advice = "report it"});
  } catch (...) {
    return keep_out_of_memory();
  }
}

static_assert(static_cast<int>(Code::invalid_argument) == MUSTER_INVALID_ARGUMENT);
static_assert(static_cast<int>(Code::timeout) == MUSTER_TIMEOUT);
static_assert(static_cast<int>(Code::unreachable) == MUSTER_UNREACHABLE);
static_assert(static_cast<int>(Code::rank_failed) == MUSTER_RANK_FAILED);
static_assert(static_cast<int>(Code::unsupported) == MUSTER_UNSUPPORTED);

}  // namespace muster::c

using muster::c::last;

const char* muster_status_name(muster_status status) {
  return status == MUSTER_OK ? "ok" : muster::name(static_cast<muster::Code>(status));
}

const muster_error* muster_last_error(void) {
  return last.there ? &last.kept : nullptr;
}
muster_status muster_error_code(const muster_error* error) {
  return error != nullptr ? static_cast<muster_status>(error->error.code) : MUSTER_OK;
}
const char* muster_error_text(const muster_error* error) {
  return error != nullptr ? error->text.c_str() : "";
}
const char* muster_error_what(const muster_error* error) {
  return error != nullptr ? error->error.what.c_str() : "";
}
const char* muster_error_advice(const muster_error* error) {
  return error != nullptr ? error->error.advice.c_str() : "";
}
const char* muster_error_phase(const muster_error* error) {
  return error != nullptr ? muster::name(error->error.phase) : "";
}
const char* muster_error_local(const muster_error* error) {
  return error != nullptr ? error->error.local.c_str() : "";
}
const char* muster_error_remote(const muster_error* error) {
  return error != nullptr ? error->error.remote.c_str() : "";
}
double muster_error_elapsed(const muster_error* error) {
  if (error == nullptr) return 0;
  return muster::to_seconds(error->error.elapsed);
}
int muster_error_exit_code(const muster_error* error) {
  return error != nullptr ? error->error.exit_code : 0;
}
size_t muster_error_rank_count(const muster_error* error) {
  return error != nullptr ? error->error.ranks.size() : 0;
}
muster_rank_name muster_error_rank(const muster_error* error, size_t index) {
  if (index >= muster_error_rank_count(error)) return {MUSTER_NO_RANK, 0, "", ""};
  const muster::RankName& who = error->error.ranks[index];
  return {who.rank, who.pid, who.host.c_str(), who.detail.c_str()};
}
