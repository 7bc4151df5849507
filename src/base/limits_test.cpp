// The relations that can be said about numbers alone are asserted beside them, in limits.hpp; here
// stands what they must hold against: types on the wire, and each other over a whole job.
#include "base/limits.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace muster::limits {
namespace {

TEST(Limits, FitTheirFieldsOnTheWire) {
  constexpr std::size_t u16_max = std::numeric_limits<std::uint16_t>::max();
  constexpr std::size_t u32_max = std::numeric_limits<std::uint32_t>::max();
  // Texts have 16 bits of length, values and frames 32.
  for (const std::size_t bytes : {key_bytes_max, label_bytes_max, text_bytes_max, host_bytes_max,
                                  job_id_bytes_max, hello_bytes_max, entry_name_bytes_max}) {
    EXPECT_LE(bytes, u16_max);
  }
  for (const std::size_t bytes : {value_bytes_max, frame_body_bytes_max, round_bytes_max}) {
    EXPECT_LE(bytes, u32_max);
  }
  EXPECT_LT(ranks_max, u32_max) << "the last number stands for: rank not known";
}

TEST(Limits, AnEntryThatIsAllowedFitsAContract) {
  EXPECT_LE(entry_name_bytes_max + entry_value_bytes_max, contract_bytes_max);
}

TEST(Limits, AContractFitsARoundWithAllItsLengths) {
  // Per entry: name and value with their lengths, type, share.
  EXPECT_LE(contract_bytes_max + contract_entries_max * 16, round_bytes_max);
}

TEST(Limits, AnErrorThatNamesAllItMayFitsAFrame) {
  const std::size_t name_bytes = host_bytes_max + text_bytes_max + 16;
  EXPECT_LE(named_ranks_max * name_bytes + 2 * 4096, frame_body_bytes_max);
}

TEST(Limits, AVerdictHasRoomForTheLengthsOfAllParts) {
  EXPECT_GT(frame_body_bytes_max, round_bytes_max / 2 + 4 * (std::size_t{ranks_max} + 1));
}

TEST(Limits, StrangersAreBounded) {
  EXPECT_LE(strangers_max * 4096, table_bytes_max / 8) << "at under 4 KiB each";
}

TEST(Limits, TheServerAnswersBeforeTheClientGivesUp) {
  EXPECT_GT(reserve_max.count(), 0);
  EXPECT_LT(reserve_max, answer_grace);
  EXPECT_LT(verdict_grace, hello_time_max);
}

}  // namespace
}  // namespace muster::limits
