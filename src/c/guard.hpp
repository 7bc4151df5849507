/// \file
/// How every function of the C API ends: with a status, and with its error kept for the thread.
#pragma once

#include <exception>
#include <new>

#include <muster/muster.h>
#include <muster/result.hpp>

namespace muster::c {

/// What muster_last_error() gives next.
muster_status keep_nothing() noexcept;
muster_status keep(Error error) noexcept;
muster_status keep_out_of_memory() noexcept;
muster_status keep_exception(const char* what) noexcept;

/// Runs `body`, which returns a Result<void>; no exception gets out.
template <class Body>
muster_status guarded(Body&& body) noexcept {
  try {
    Result<void> result = body();
    return result ? keep_nothing() : keep(std::move(result).error());
  } catch (const std::bad_alloc&) {
    return keep_out_of_memory();
  } catch (const std::exception& other) {
    return keep_exception(other.what());
  } catch (...) {
    return keep_exception("an exception of no known type");
  }
}

/// `result`, whose value `take` puts where the caller wants it.
template <class T, class Take>
Result<void> deliver(Result<T> result, Take&& take) {
  if (!result) return std::move(result).error();
  take(*std::move(result));
  return {};
}

}  // namespace muster::c
