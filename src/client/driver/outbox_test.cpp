#include "client/driver/outbox.hpp"

#include <gtest/gtest.h>
#include <string>

namespace muster::client {
namespace {

std::string seen(const Outbox& outbox) {
  Outbox::Slices slices;
  std::string all;
  for (std::size_t i = 0, n = outbox.slices(slices); i < n; ++i) {
    all.append(static_cast<const char*>(slices[i].iov_base), slices[i].iov_len);
  }
  return all;
}

TEST(Outbox, KeepsOrderWhereverAWriteStops) {
  const std::string whole = "onetwothree";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    Outbox outbox;
    for (const char* frame : {"one", "two", "three"}) outbox.push(to_value(frame));
    outbox.consume(cut);
    EXPECT_EQ(seen(outbox), whole.substr(cut));
    EXPECT_EQ(outbox.empty(), cut == whole.size());
  }
}

TEST(Outbox, OffersNoMoreThanItsSlices) {
  Outbox outbox;
  for (std::size_t i = 0; i < Outbox::slices_max + 5; ++i) outbox.push(to_value("x"));
  EXPECT_EQ(seen(outbox).size(), Outbox::slices_max);
  outbox.consume(Outbox::slices_max);
  EXPECT_EQ(seen(outbox).size(), 5U);
}

TEST(Outbox, BytesStayWhereTheyAreWhileOthersPush) {
  Outbox outbox;
  outbox.push(to_value("first"));
  Outbox::Slices before;
  ASSERT_EQ(outbox.slices(before), 1U);
  for (int i = 0; i < 1000; ++i) outbox.push(to_value("more"));
  Outbox::Slices after;
  outbox.slices(after);
  EXPECT_EQ(before[0].iov_base, after[0].iov_base);
}

TEST(Outbox, KeepsOrderWhileItIsNeverEmpty) {
  Outbox outbox;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string frame = std::to_string(i) + ",";
    outbox.push(to_value(frame));
    expected += frame;
    if (expected.size() < 10) continue;
    outbox.consume(expected.size() - 7);
    expected.erase(0, expected.size() - 7);
    ASSERT_EQ(seen(outbox), expected);
  }
}

}  // namespace
}  // namespace muster::client
