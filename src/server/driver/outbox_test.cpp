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

/// A body that is not copied.
const std::string large(Outbox::copied_bytes + 1, 'L');

void fill(Outbox& outbox) {
  outbox.push(as_bytes("ab"), nullptr);
  outbox.push(as_bytes("cd"), shared("EF"));
  outbox.push(as_bytes("gh"), shared(large));
  outbox.push(as_bytes(""), shared(large));
  outbox.push(as_bytes("kl"), shared(""));
}

TEST(ServerOutbox, KeepsOrderWhereverWritesStop) {
  const std::string whole = "abcdEFgh" + large + large + "kl";
  for (std::size_t one = 0; one <= whole.size(); ++one) {
    for (const std::size_t two : {std::size_t{0}, std::size_t{3}, large.size()}) {
      if (one + two > whole.size()) continue;
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
  const Shared body = shared(large);
  outbox.push(as_bytes("h"), body);
  outbox.push(as_bytes("more"), nullptr);
  EXPECT_EQ(body.use_count(), 2);
  outbox.consume(1 + large.size());
  EXPECT_EQ(body.use_count(), 1);
}

TEST(ServerOutbox, KeepsRoomForSmallAnswersOnly) {
  Outbox outbox;
  outbox.push(as_bytes(std::string(100, 's')), nullptr);
  const std::size_t room = outbox.kept_bytes();
  outbox.consume(100);
  EXPECT_EQ(outbox.kept_bytes(), room);
  EXPECT_GE(room, 100U);
  outbox.push(as_bytes(std::string(4000, 'l')), nullptr);
  outbox.consume(4000);
  EXPECT_EQ(outbox.kept_bytes(), 0U) << "ten thousand idle peers would keep it all";
}

TEST(ServerOutbox, OffersNoMoreThanItsSlices) {
  Outbox outbox;
  const std::size_t pairs = Outbox::slices_max / 2;
  for (std::size_t i = 0; i < 2 * pairs; ++i) outbox.push(as_bytes("h"), shared(large));
  EXPECT_EQ(seen(outbox).size(), pairs * (1 + large.size()));
}

}  // namespace
}  // namespace muster::server
