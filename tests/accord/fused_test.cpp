/// Shows that the vectors and the self-test notice a build that fuses multiplications with
/// additions: this program is compiled so.
#include <bit>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include <nlohmann/json.hpp>

#include <muster/f332.hpp>

#include "paths/paths.hpp"

namespace muster::f332 {
namespace {

using nlohmann::json;

double real(const json& text) {
  return std::strtod(text.get<std::string>().c_str(), nullptr);
}

TEST(Fused, EveryDiscriminatorComesOutWrong) {
  std::ifstream file(paths::source("tests/vectors/accord.json"));
  const json vectors = json::parse(file);
  int count = 0;
  for (const json& row : vectors["jitter_fma_discriminators"]["rows"]) {
    SCOPED_TRACE(row);
    const Epoch epoch = Epoch::parse(row["epoch"].get<std::string>()).value();
    const double seconds = delay(epoch, row["generation"].get<std::uint64_t>(),
                                 real(row["interval"]), real(row["jitter"]))
                               .value();
    const auto wrong = row["wrong_if_contracted_to_fma_bits"].get<std::string>();
    EXPECT_EQ(std::bit_cast<std::uint64_t>(seconds), std::stoull(wrong, nullptr, 16));
    ++count;
  }
  EXPECT_EQ(count, 12);
}

TEST(Fused, TheSelfTestFails) {
  const auto tested = self_test();
  ASSERT_FALSE(tested.ok());
  EXPECT_EQ(tested.error().code, Code::system);
  EXPECT_EQ(tested.error().what,
            "self-test: delay 10 of 60 s, 0.3 comes out as 405330a67cf6ccc7, expected "
            "405330a67cf6ccc8");
  EXPECT_NE(tested.error().advice.find("-ffp-contract=off"), std::string::npos);
}

}  // namespace
}  // namespace muster::f332
