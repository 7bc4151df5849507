#include <fmt/format.h>

#include <muster/digest.hpp>
#include <muster/ids.hpp>

#include "base/hex.hpp"
#include "base/limits.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace muster {
namespace {

Error invalid(std::string what, std::string advice) {
  return Error{
      .code = Code::invalid_argument, .what = std::move(what), .advice = std::move(advice)};
}

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

Result<Epoch> Epoch::parse(std::string_view hex64) {
  Epoch epoch;
  if (!from_hex(hex64, epoch.bytes)) {
    return invalid(fmt::format("epoch {} is not 64 characters of 0-9a-f", quoted(hex64)),
                   "give the epoch as the job printed it, in lower case");
  }
  return epoch;
}

Epoch Epoch::random() {
  Epoch epoch;
  system_random().fill(epoch.bytes);
  return epoch;
}

std::string Epoch::text() const {
  return to_hex(bytes);
}

Result<Incarnation> Incarnation::parse(std::string_view hex16) {
  std::array<std::byte, 8> bytes{};
  Incarnation incarnation;
  if (from_hex(hex16, bytes)) {
    for (const std::byte byte : bytes) {
      incarnation.number = incarnation.number << 8 | static_cast<std::uint64_t>(byte);
    }
  }
  if (incarnation.number == 0) {
    return invalid(
        fmt::format("incarnation {} is not 16 characters of 0-9a-f, or is zero", quoted(hex16)),
        "leave it out unless a launcher gives it");
  }
  return incarnation;
}

Incarnation Incarnation::random() {
  Incarnation incarnation;
  while (incarnation.number == 0) incarnation.number = system_random().next();
  return incarnation;
}

std::string Incarnation::text() const {
  return fmt::format("{:016x}", number);
}

Result<void> check_job_id(std::string_view job) {
  const char* expected =
      "expected 1 to 64 characters of A-Z a-z 0-9 . _ -, the first a letter or a digit";
  bool good = !job.empty() && job.size() <= limits::job_id_bytes_max && is_letter_or_digit(job[0]);
  for (const char c : job) {
    good = good && (is_letter_or_digit(c) || c == '.' || c == '_' || c == '-');
  }
  if (good) return {};
  return invalid(fmt::format("job id {} is not valid", quoted(job)), expected);
}

std::string random_job_id() {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string job;
  for (int i = 0; i < 12; ++i) job += letters[system_random().below(letters.size())];
  return job;
}

}  // namespace muster
