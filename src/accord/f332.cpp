#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include <muster/f332.hpp>

#include "accord/encoding.hpp"
#include "accord/schedule.hpp"
#include "accord/tokens.hpp"
#include "base/decimal.hpp"

namespace muster::f332 {
namespace {

Error refuse(std::string_view name, double value, std::string_view why) {
  return Error{.code = Code::invalid_argument,
               .what = fmt::format("{} {} {}", name, decimal(value), why)};
}

Result<void> check_schedule(double interval, double jitter) {
  if (!std::isfinite(interval)) {
    return refuse("interval", interval, "is not finite; expected seconds, 0 or more");
  }
  if (interval < 0) return refuse("interval", interval, "is negative; expected seconds, 0 or more");
  if (!std::isfinite(jitter)) {
    return refuse("jitter", jitter, "is not finite; expected a fraction, 0 to 0.5");
  }
  if (jitter < 0) return refuse("jitter", jitter, "is negative; expected a fraction, 0 to 0.5");
  if (jitter > 0.5) return refuse("jitter", jitter, "is above 0.5; expected a fraction, 0 to 0.5");
  if (!std::isfinite(interval * (1.0 + jitter))) {
    return refuse("interval", interval,
                  fmt::format("overflows: with jitter {} the longest delay, interval * (1 + "
                              "jitter), is not finite",
                              decimal(jitter)));
  }
  return {};
}

Result<void> check_timeout(double timeout) {
  if (!std::isfinite(timeout)) {
    return refuse("timeout", timeout, "is not finite; expected seconds, more than 0");
  }
  if (timeout <= 0) {
    return refuse("timeout", timeout, "is not positive; expected seconds, more than 0");
  }
  return {};
}

std::string image(double value) {
  return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(value));
}

/// Nothing if `given` is `expected`.
Result<void> compare(std::string_view what, std::string_view given, std::string_view expected) {
  if (given == expected) return {};
  return Error{
      .code = Code::system,
      .what = fmt::format("self-test: {} comes out as {}, expected {}", what, given, expected),
      .advice = "build src/accord with -ffp-contract=off and without -ffast-math"};
}

/// f332f332...: the epoch of the reference's published run.
Epoch published_epoch() {
  Epoch epoch;
  for (std::size_t i = 0; i < epoch.bytes.size(); i += 2) {
    epoch.bytes[i] = std::byte{0xf3};
    epoch.bytes[i + 1] = std::byte{0x32};
  }
  return epoch;
}

}  // namespace

Result<Digest> fingerprint(const Epoch& epoch, const Config& config) {
  if (auto checked = check_schedule(config.interval, config.jitter); !checked) {
    return checked.error();
  }
  if (auto checked = check_timeout(config.timeout); !checked) return checked.error();
  // Only the jitter's zero has one form: the reference hashes an interval of -0.0 as it is.
  const double jitter = config.jitter == 0 ? 0.0 : config.jitter;
  return accord::Encoder("symcc-cluster-lock-renewal-config-v1")
      .epoch(epoch)
      .real(config.interval)
      .real(config.timeout)
      .real(jitter)
      .digest();
}

Result<Digest> request_token(const Epoch& epoch, std::uint64_t generation,
                             const Digest& fingerprint) {
  if (auto checked = accord::check_generation(generation); !checked) return checked.error();
  return accord::Encoder("symcc-cluster-lock-renewal-v2")
      .epoch(epoch)
      .u64(generation)
      .bytes(fingerprint)
      .digest();
}

Result<double> delay(const Epoch& epoch, std::uint64_t generation, double interval, double jitter) {
  if (auto checked = accord::check_generation(generation); !checked) return checked.error();
  if (auto checked = check_schedule(interval, jitter); !checked) return checked.error();
  return delay_from_digest(schedule_digest(epoch, generation), interval, jitter);
}

Result<void> self_test() {
  const Epoch epoch = published_epoch();
  const auto print = fingerprint(epoch, {.interval = 0.12, .timeout = 0.4, .jitter = 0.1});
  if (!print) return print.error();
  if (auto same = compare("the fingerprint", to_hex(*print),
                          "776bc9da6db7e0bc761c601280a75eee31c1bc3ee392aa759e2b9b4288ac9a94");
      !same) {
    return same;
  }
  // The first two are what a fused multiply-add gets wrong, one bit too low and one too high; the
  // third is clamped below its end.
  const double down = delay_from_digest(schedule_digest(epoch, 10), 60, 0.3);
  if (auto same = compare("delay 10 of 60 s, 0.3", image(down), "405330a67cf6ccc8"); !same) {
    return same;
  }
  const double up = delay_from_digest(schedule_digest(epoch, 17), 60, 0.1);
  if (auto same = compare("delay 17 of 60 s, 0.1", image(up), "405034f6f20184d7"); !same) {
    return same;
  }
  Digest last;
  last.fill(std::byte{0xff});
  return compare("the longest delay of 60 s, 0.1", image(delay_from_digest(last, 60, 0.1)),
                 "40507fffffffffff");
}

}  // namespace muster::f332
