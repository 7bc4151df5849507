#include <algorithm>
#include <fmt/format.h>

#include <muster/security.hpp>

#include "base/keyed.hpp"
#include "base/private_file.hpp"
#include "base/random.hpp"
#include "base/usage_error.hpp"

namespace muster {
namespace {

constexpr const char* how_to_make =
    "make one with: (umask 077; openssl rand -hex 32 >FILE), the same file for the whole job";

/// Of what was read, which is wiped.
Result<Secret> secret_of(Result<Value> read) {
  if (!read) {
    Error error = std::move(read).error();
    if (error.advice.empty()) error.advice = how_to_make;
    return error;
  }
  Result<Secret> secret = Secret::from_bytes(*read);
  wipe(*read);
  return secret;
}

}  // namespace

Result<Secret> Secret::from_bytes(Bytes bytes) {
  if (bytes.size() >= bytes_min && bytes.size() <= bytes_max) return Secret(to_value(bytes));
  return usage_error(
      fmt::format("a secret of {} bytes, expected {} to {}", bytes.size(), bytes_min, bytes_max),
      how_to_make);
}

Result<Secret> Secret::from_file(const std::string& path) {
  return secret_of(read_private_file(path, "the secret's file", bytes_max));
}

Result<Secret> Secret::from_fd(int fd) {
  return secret_of(read_private_fd(fd, "the secret", bytes_max));
}

Secret Secret::random() {
  Value bytes(bytes_min);
  system_random().fill(bytes);
  return Secret(std::move(bytes));
}

Secret& Secret::operator=(const Secret& other) {
  if (this == &other) return *this;
  wipe();
  bytes_ = other.bytes_;
  return *this;
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  wipe();
  bytes_ = std::move(other.bytes_);
  return *this;
}

Secret::~Secret() {
  wipe();
}

void Secret::wipe() {
  muster::wipe(bytes_);
}

bool Secret::operator==(const Secret& other) const {
  return equal_in_constant_time(bytes_, other.bytes_);
}

}  // namespace muster
