#include "server/core/version0.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "server/core/core_fixture.hpp"
#include "wire/v0.hpp"
#include "wire/v0_answers.hpp"
#include "wire/v0_requests.hpp"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using wire::v0::Request;

constexpr std::uint32_t for_ever = 0xFFFFFFFF;

/// A core of one rank and clients of version 0.
class Version0Test : public testing::Test {
 protected:
  explicit Version0Test(CoreOptions options = {}) : at(std::move(options)) { at.muster(1); }

  /// Link `link` comes and is admitted.
  void connect(LinkId link) {
    at.step(Opened{link, "10.0.0.9:7"});
    const Value hello = encode(wire::v0::Hello{.rank = 3});
    at.step(Received{link, hello});
    EXPECT_EQ(said(link), std::string(2, '\0'));
  }
  /// All bytes that the last step sent to `link`.
  std::string said(LinkId link) const {
    std::string bytes;
    for (const Action& action : at.actions.list) {
      const auto* send = std::get_if<Send>(&action);
      if (send != nullptr && send->link == link) bytes += as_text(bytes_of(*send, at.actions));
    }
    return bytes;
  }
  /// "result body" of the one frame that the last step sent to `link`; "nothing".
  std::string answered(LinkId link) const {
    const std::string bytes = said(link);
    if (bytes.empty()) return "nothing";
    wire::FrameReader reader;
    reader.feed(as_bytes(bytes));
    wire::FrameHeader header;
    Bytes body;
    EXPECT_EQ(reader.next(header, body), wire::FrameReader::Found::frame);
    EXPECT_EQ(bytes.size(), wire::header_bytes + body.size()) << "one frame";
    EXPECT_EQ(static_cast<int>(header.type), 0);
    return std::to_string(header.result) + " " + std::string(as_text(body));
  }
  std::string ask(LinkId link, const Request& request) {
    Value frame;
    const std::size_t begun = wire::begin_frame(frame);
    wire::v0::pack(request, frame);
    wire::end_frame(frame, begun, wire::Type{0}, 1);
    at.step(Received{link, frame});
    return answered(link);
  }
  bool closed(LinkId link) const {
    for (const Action& action : at.actions.list) {
      const auto* close = std::get_if<Close>(&action);
      if (close != nullptr && close->link == link) return true;
    }
    return false;
  }

  CoreFixture at;
};

TEST_F(Version0Test, AClientIsNoRankAndAsksTheSameTable) {
  connect(5);
  EXPECT_EQ(ask(5, wire::SetRequest{"k", as_bytes("v")}), "0 success");
  const auto seen = at.ask(1, wire::Type::get, 1, wire::GetRequest{"k", 0});
  EXPECT_EQ(as_text(seen.at(0).body), "v");
  EXPECT_EQ(at.core.status(at.now).joined, 1U);
}

TEST_F(Version0Test, TheFirstBytesDecideAndTheRestMayComeLater) {
  const Value hello = encode(wire::v0::Hello{});
  for (std::size_t cut = 1; cut < hello.size(); ++cut) {
    const LinkId link = 10 + cut;
    at.step(Opened{link, "10.0.0.9:7"});
    at.step(Received{link, Bytes(hello).first(cut)});
    EXPECT_EQ(said(link), "") << cut;
    EXPECT_FALSE(closed(link)) << cut;
    at.step(Received{link, Bytes(hello).subspan(cut)});
    EXPECT_EQ(said(link), std::string(2, '\0')) << cut;
  }
}

TEST_F(Version0Test, AnotherMagicIsTurnedAwayAtOnce) {
  const Value hello = encode(wire::v0::Hello{.magic = 0x1234});
  at.step(Opened{5, "10.0.0.9:7"});
  at.step(Received{5, Bytes(hello).first(4)});
  EXPECT_TRUE(closed(5));
  EXPECT_EQ(said(5), "");
  const auto& log = std::get<Log>(at.actions.list.front());
  EXPECT_THAT(log.line, HasSubstr("with magic 0x1234 where 0x0acc is expected"));
}

TEST_F(Version0Test, AWaitOfAGoneClientIsForgotten) {
  const std::size_t before = at.core.open_items();
  connect(5);
  EXPECT_EQ(ask(5, wire::GetRequest{"k", for_ever}), "nothing");
  EXPECT_EQ(at.core.open_items(), before + 2);
  at.step(Closed{5, "reset"});
  EXPECT_EQ(at.core.open_items(), before);
  at.ask(1, wire::Type::set, 1, wire::SetRequest{"k", {}});
  EXPECT_EQ(said(5), "");
}

TEST_F(Version0Test, ADoomedJobAnswersItsWaitsAndClosesAllItsLinks) {
  connect(6);
  connect(5);
  EXPECT_EQ(ask(5, wire::GetRequest{"k", for_ever}), "nothing");
  at.step(Doom{Failure{.code = Code::rank_failed, .reason = "rank 0 failed: it did"}});
  EXPECT_EQ(answered(5), "-1 rank 0 failed: it did");
  EXPECT_EQ(said(6), "");
  EXPECT_TRUE(closed(5));
  EXPECT_TRUE(closed(6));
  EXPECT_FALSE(closed(1)) << "a rank hears of it in its own way";

  at.step(Opened{7, "10.0.0.9:7"});
  const Value hello = encode(wire::v0::Hello{});
  at.step(Received{7, hello});
  EXPECT_TRUE(closed(7));
  EXPECT_EQ(said(7), "");
}

TEST_F(Version0Test, AStoppingServerDoesTheSame) {
  connect(5);
  EXPECT_EQ(ask(5, wire::GetRequest{"k", for_ever}), "nothing");
  at.step(Stop{});
  EXPECT_EQ(answered(5), "-1 the server is stopping");
  EXPECT_TRUE(closed(5));
  at.step(Closed{1, "gone"});
  EXPECT_EQ(at.core.open_items(), 0U);
}

class AnotherMagic : public Version0Test {
 protected:
  AnotherMagic() : Version0Test({.version0_magic = 0xBEEF}) {}
};

TEST_F(AnotherMagic, IsAskedForByTheJobAndTakenInstead) {
  at.step(Opened{5, "unix"});
  const Value own = encode(wire::v0::Hello{.magic = 0xBEEF});
  at.step(Received{5, own});
  EXPECT_EQ(said(5), std::string(2, '\0'));
  at.step(Opened{6, "unix"});
  const Value standard = encode(wire::v0::Hello{});
  at.step(Received{6, standard});
  EXPECT_TRUE(closed(6));
}

class Without : public Version0Test {
 protected:
  Without() : Version0Test({.version0 = false}) {}
};

TEST_F(Without, ItsClientsAreTurnedAway) {
  at.step(Opened{5, "unix"});
  const Value hello = encode(wire::v0::Hello{});
  at.step(Received{5, hello});
  EXPECT_TRUE(closed(5));
  EXPECT_THAT(std::get<Log>(at.actions.list.front()).line,
              HasSubstr("it speaks version 0, this server does not"));
}

TEST(ReadVersion0, AnEmptyExpectationIsWhatTheTableHolds) {
  Table table(1U << 20);
  Value body;
  wire::v0::pack(wire::CompareSetRequest{"k", std::nullopt, as_bytes("v")}, body);
  auto request = read_version0({}, body, table);
  ASSERT_FALSE(request.ok()) << "a type other than 0 is refused";
  const wire::FrameHeader header{.type = wire::Type{0}};
  const auto expected = [&] {
    return wire::decode_compare_set(read_version0(header, body, table).value().body)->expected;
  };
  EXPECT_FALSE(expected());
  EXPECT_TRUE(table.set("k", {}).ok());
  ASSERT_TRUE(expected());
  EXPECT_TRUE(expected()->empty());
}

}  // namespace
}  // namespace muster::server
