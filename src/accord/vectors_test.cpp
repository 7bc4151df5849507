/// Every vector of tests/vectors/accord.json that concerns profile f332. Each test counts what it
/// ran, so that a section that went missing is noticed.
#include <bit>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include <nlohmann/json.hpp>

#include <muster/f332.hpp>

#include "accord/schedule.hpp"
#include "accord/tokens.hpp"
#include "base/decimal.hpp"
#include "base/hex.hpp"
#include "paths/paths.hpp"

namespace muster::f332 {
namespace {

using nlohmann::json;

const json& vectors() {
  static const json all = [] {
    std::ifstream file(paths::source("tests/vectors/accord.json"));
    return json::parse(file);
  }();
  return all;
}

std::string bits(double number) {
  std::array<std::byte, 8> image{};
  const auto value = std::bit_cast<std::uint64_t>(number);
  for (std::size_t i = 0; i < 8; ++i) image[i] = static_cast<std::byte>(value >> (56 - 8 * i));
  return to_hex(image);
}

double real(const json& text) {
  return std::strtod(text.get<std::string>().c_str(), nullptr);
}

Digest digest(const json& text) {
  Digest bytes{};
  EXPECT_TRUE(from_hex(text.get<std::string>(), bytes)) << text;
  return bytes;
}

Epoch epoch(const json& vector) {
  return Epoch::parse(vector["epoch"].get<std::string>()).value();
}

Config config(const json& vector) {
  return {.interval = real(vector["interval"]),
          .timeout = real(vector["timeout"]),
          .jitter = real(vector["jitter"])};
}

TEST(AccordVectors, Fingerprint) {
  int count = 0;
  for (const json& vector : vectors()["fingerprint"]) {
    SCOPED_TRACE(vector["name"]);
    const Config given = config(vector);
    ASSERT_EQ(bits(given.interval), vector["interval_bits"]);
    ASSERT_EQ(bits(given.timeout), vector["timeout_bits"]);
    ASSERT_EQ(bits(given.jitter), vector["jitter_bits_input"]);
    const std::string text = to_hex(fingerprint(epoch(vector), given).value());
    EXPECT_EQ(text, vector["fingerprint"]);
    EXPECT_EQ(text.substr(0, 12), vector["prefix12"]);
    ++count;
  }
  EXPECT_EQ(count, 10);
}

TEST(AccordVectors, FingerprintReject) {
  int count = 0;
  for (const json& vector : vectors()["fingerprint_reject"]) {
    const auto why = vector["why"].get<std::string>();
    SCOPED_TRACE(why);
    const auto refused = fingerprint(Epoch{}, config(vector));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::invalid_argument);
    // The text begins with the value's name, gives it, and ends in the reason.
    const std::string what = refused.error().what;
    const bool overflow = why.find("overflows") != std::string::npos;
    const std::string name = overflow ? "interval" : why.substr(0, why.find(' '));
    EXPECT_EQ(what.find(name + " " + decimal(real(vector[name])) + " "), 0U) << what;
    EXPECT_NE(what.find(overflow ? "overflows" : why.substr(name.size() + 1)), std::string::npos)
        << what;
    ++count;
  }
  EXPECT_EQ(count, 13);
}

TEST(AccordVectors, EpochReject) {
  int count = 0;
  for (const json& vector : vectors()["epoch_reject"]) {
    const auto refused = Epoch::parse(vector.get<std::string>());
    ASSERT_FALSE(refused.ok()) << vector;
    EXPECT_EQ(refused.error().code, Code::invalid_argument);
    ++count;
  }
  EXPECT_EQ(count, 7);
}

TEST(AccordVectors, RequestToken) {
  int count = 0;
  for (const json& vector : vectors()["request_token"]) {
    const auto token = request_token(epoch(vector), vector["generation"].get<std::uint64_t>(),
                                     digest(vector["configuration"]));
    EXPECT_EQ(to_hex(token.value()), vector["token"]);
    ++count;
  }
  EXPECT_EQ(count, 3);
}

TEST(AccordVectors, RequestTokenRejectGeneration) {
  int numbers = 0;
  int others = 0;
  for (const json& vector : vectors()["request_token_reject_generation"]) {
    if (!vector.is_number_integer()) {
      ++others;  // a boolean and a float: the parameter's type already refuses them
      continue;
    }
    // -1 arrives as 2^64 - 1, as it does from any caller that lost the sign.
    const auto generation = static_cast<std::uint64_t>(vector.get<std::int64_t>());
    for (const auto& error : {request_token(Epoch{}, generation, Digest{}).error(),
                              delay(Epoch{}, generation, 60, 0.1).error()}) {
      EXPECT_EQ(error.code, Code::invalid_argument);
      EXPECT_NE(error.what.find("generation " + std::to_string(generation)), std::string::npos);
    }
    ++numbers;
  }
  EXPECT_EQ(numbers, 3);
  EXPECT_EQ(others, 2);
}

TEST(AccordVectors, Jitter) {
  int count = 0;
  for (const json& vector : vectors()["jitter"]) {
    const double interval = real(vector["interval"]);
    const double jitter = real(vector["jitter"]);
    EXPECT_EQ(bits(interval * (1.0 + jitter)), vector["maximum_bits"]);
    for (const json& row : vector["rows"]) {
      SCOPED_TRACE(row);
      const auto generation = row["g"].get<std::uint64_t>();
      if (row.contains("digest")) {
        EXPECT_EQ(to_hex(schedule_digest(epoch(vector), generation)), row["digest"]);
      }
      const double seconds = delay(epoch(vector), generation, interval, jitter).value();
      EXPECT_EQ(bits(seconds), row["delay_bits"]);
      EXPECT_EQ(decimal(seconds), row["delay_repr"]);
      ++count;
    }
  }
  EXPECT_EQ(count, 80);
}

int run_forced(const char* section) {
  int count = 0;
  for (const json& vector : vectors()[section]) {
    SCOPED_TRACE(vector);
    const double seconds = delay_from_digest(digest(vector["digest"]), real(vector["interval"]),
                                             real(vector["jitter"]));
    EXPECT_EQ(bits(seconds), vector["delay_bits"]);
    EXPECT_EQ(decimal(seconds), vector["delay_repr"]);
    ++count;
  }
  return count;
}

TEST(AccordVectors, JitterForcedDigests) {
  EXPECT_EQ(run_forced("jitter_forced_all_ff_digest"), 6);
  EXPECT_EQ(run_forced("jitter_forced_zero_digest"), 2);
}

TEST(AccordVectors, JitterFmaDiscriminators) {
  int count = 0;
  for (const json& vector : vectors()["jitter_fma_discriminators"]["rows"]) {
    SCOPED_TRACE(vector);
    const double seconds = delay(epoch(vector), vector["generation"].get<std::uint64_t>(),
                                 real(vector["interval"]), real(vector["jitter"]))
                               .value();
    EXPECT_EQ(bits(seconds), vector["correct_bits"]);
    EXPECT_EQ(decimal(seconds), vector["correct_repr"]);
    ++count;
  }
  EXPECT_EQ(count, 12);
}

TEST(AccordVectors, ConfigExchangeToken) {
  int count = 0;
  for (const json& vector : vectors()["config_exchange_token"]) {
    EXPECT_EQ(to_hex(config_exchange_token(epoch(vector))), vector["token"]);
    ++count;
  }
  EXPECT_EQ(count, 2);
}

TEST(AccordVectors, FloatRepr) {
  int count = 0;
  for (const json& vector : vectors()["float_repr"]) {
    const auto image = std::stoull(vector["bits"].get<std::string>(), nullptr, 16);
    EXPECT_EQ(decimal(std::bit_cast<double>(static_cast<std::uint64_t>(image))), vector["repr"]);
    ++count;
  }
  EXPECT_EQ(count, 15);
}

}  // namespace
}  // namespace muster::f332
