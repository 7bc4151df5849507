/// \file
/// What this build's sanitizer cannot be asked.
#pragma once

#ifdef __has_feature
#define MUSTER_HAS_FEATURE(x) __has_feature(x)
#else
#define MUSTER_HAS_FEATURE(x) 0
#endif

namespace muster::support {

#if defined(__SANITIZE_THREAD__) || MUSTER_HAS_FEATURE(thread_sanitizer)
/// It ends a child that starts a thread, if its parent had several.
inline constexpr bool thread_sanitized = true;
#else
inline constexpr bool thread_sanitized = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || MUSTER_HAS_FEATURE(address_sanitizer)
inline constexpr bool address_sanitized = true;
#else
inline constexpr bool address_sanitized = false;
#endif

/// This build's memory and speed say nothing about the product's.
inline constexpr bool sanitized = thread_sanitized || address_sanitized;

}  // namespace muster::support
