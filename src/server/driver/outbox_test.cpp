#include "server/driver/outbox.hpp"

#include <gtest/gtest.h>
#include <string>

namespace muster::server {
namespace {

Shared shared(std::string_view text) {
  return std::make_shared<const Value>(to_value(text));
}

std::string seen(const Outbox& outbox) {
  Outbox::Slices slices;
  std::string all;
  for (std::size_t i = 0, n = outbox.slices(slices); i < n; ++i) {
    all.append(static_cast<const char*>(slices[i].iov_base), slices[i].iov_len);
  }
  return all;
}

void fill(Outbox& outbox) {
  outbox.push(as_bytes("ab"), nullptr);
  outbox.push(as_bytes("cd"), shared("EF"));
  outbox.push(as_bytes("gh"), shared(""));
  outbox.push(as_bytes(""), shared("IJ"));
  outbox.push(as_bytes("kl"), nullptr);
}

TEST(ServerOutbox, KeepsOrderWhereverWritesStop) {
  const std::string whole = "abcdEFghIJkl";
  for (std::size_t one = 0; one <= whole.size(); ++one) {
    for (std::size_t two = 0; one + two <= whole.size(); ++two) {
      Outbox outbox;
      fill(outbox);
      if (one > 0) outbox.consume(one);
      if (two > 0) outbox.consume(two);
      EXPECT_EQ(seen(outbox), whole.substr(one + two));
      EXPECT_EQ(outbox.unwritten_bytes(), whole.size() - one - two);
      outbox.push(as_bytes("mn"), nullptr);
      EXPECT_EQ(seen(outbox), whole.substr(one + two) + "mn");
    }
  }
}

TEST(ServerOutbox, IsUsedAgainAfterItWasEmptied) {
  Outbox outbox;
  for (int round = 0; round < 3; ++round) {
    fill(outbox);
    EXPECT_FALSE(outbox.empty());
    outbox.consume(outbox.unwritten_bytes());
    EXPECT_TRUE(outbox.empty());
    EXPECT_EQ(seen(outbox), "");
  }
}

TEST(ServerOutbox, LetsGoOfASharedBodyOnceItIsWritten) {
  Outbox outbox;
  const Shared body = shared("body");
  outbox.push(as_bytes("h"), body);
  outbox.push(as_bytes("more"), nullptr);
  EXPECT_EQ(body.use_count(), 2);
  outbox.consume(5);
  EXPECT_EQ(body.use_count(), 1);
}

TEST(ServerOutbox, OffersNoMoreThanItsSlices) {
  Outbox outbox;
  for (std::size_t i = 0; i < Outbox::slices_max; ++i) outbox.push(as_bytes("h"), shared("t"));
  EXPECT_EQ(seen(outbox).size(), Outbox::slices_max);
}

}  // namespace
}  // namespace muster::server
