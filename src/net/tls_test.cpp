#include "net/tls.hpp"

#include <array>
#include <functional>
#include <gmock/gmock.h>
#include <malloc.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string>
#include <utility>
#include <vector>

namespace muster::net {
namespace {

using State = Tls::State;
using testing::HasSubstr;

std::shared_ptr<const TlsContext> context(TlsSide side, std::byte secret = std::byte{7},
                                          std::string_view job = "demo") {
  return TlsContext::make(side, Secret::from_bytes(Value(32, secret)).value(), job).value();
}

/// Two ends, and what is on its way between them.
struct Pair {
  explicit Pair(std::shared_ptr<const TlsContext> asks = context(TlsSide::client),
                std::shared_ptr<const TlsContext> serves = context(TlsSide::server),
                std::uint64_t records_a_key_max = limits::tls_records_a_key_max)
      : client(std::move(asks), records_a_key_max), server(std::move(serves), records_a_key_max) {
    shake_hands(client, server);
  }
  static void shake_hands(Tls& client, Tls& server) {
    client.shake();
    while (carry(client, server) || carry(server, client)) {
    }
  }

  /// What `to` reads of what `from` has to send, in pieces of `piece` bytes.
  static std::string moved(Tls& from, Tls& to, std::size_t piece = 1U << 20) {
    const Value sealed = std::exchange(from.outgoing(), {});
    std::string plain;
    for (std::size_t i = 0; i < sealed.size(); i += piece) {
      plain += taken(to, Bytes(sealed).subspan(i, std::min(piece, sealed.size() - i)));
    }
    return plain;
  }
  static std::string taken(Tls& to, Bytes sealed) {
    std::string plain;
    std::array<std::byte, 1000> room;
    to.feed(sealed);
    if (to.state() == State::shaking) to.shake();
    while (const std::size_t count = to.read(room)) plain += as_text(Bytes(room).first(count));
    return plain;
  }
  static bool carry(Tls& from, Tls& to) {
    const bool any = !from.outgoing().empty();
    EXPECT_EQ(moved(from, to), "");
    return any;
  }

  Tls client;
  Tls server;
};

TEST(Tls, ShakesHandsAndCarriesBytesBothWays) {
  Pair pair;
  ASSERT_EQ(pair.client.state(), State::open) << pair.client.why();
  ASSERT_EQ(pair.server.state(), State::open) << pair.server.why();
  pair.client.write(as_bytes("hello"));
  pair.client.write(as_bytes(", server"));
  EXPECT_THAT(as_text(pair.client.outgoing()), testing::Not(HasSubstr("hello")));
  EXPECT_EQ(pair.moved(pair.client, pair.server), "hello, server");
  const std::string large(100'000, 'L');
  pair.server.write(as_bytes(large));
  EXPECT_EQ(pair.moved(pair.server, pair.client, 7), large);
}

TEST(Tls, AnIdleLinkHoldsNothingForTheWay) {
  Pair pair;
  pair.server.write(as_bytes(std::string(100'000, 'L')));
  pair.moved(pair.server, pair.client);
  EXPECT_EQ(pair.server.outgoing().capacity(), 0U);
}

TEST(Tls, ChangesKeysBeforeTheyAreWornOut) {
  Pair pair(context(TlsSide::client), context(TlsSide::server), 3);
  std::size_t bytes = 0;
  for (int i = 0; i < 10; ++i) {
    pair.client.write(as_bytes("x"));
    bytes += pair.client.outgoing().size();
    EXPECT_EQ(pair.moved(pair.client, pair.server), "x");
  }
  EXPECT_GT(bytes, 10U * 23) << "no key was changed";
  pair.server.write(as_bytes("back"));
  EXPECT_EQ(pair.moved(pair.server, pair.client), "back");
}

TEST(Tls, AnotherSecretIsSaidOnBothSides) {
  Pair pair(context(TlsSide::client, std::byte{8}));
  EXPECT_EQ(pair.server.state(), State::failed);
  EXPECT_EQ(pair.server.failure(), Tls::Failure::no_key);
  EXPECT_THAT(pair.server.why(), HasSubstr("does not hold this job's secret"));
  EXPECT_EQ(pair.client.state(), State::failed);
  EXPECT_EQ(pair.client.failure(), Tls::Failure::no_key);
  EXPECT_THAT(pair.client.why(), HasSubstr("another secret"));
}

TEST(Tls, WhoWasNotToldTheJobComesInToo) {
  for (const char* job : {"", "other"}) {
    Pair pair(context(TlsSide::client, std::byte{7}, job));
    EXPECT_EQ(pair.server.state(), State::open) << pair.server.why();
  }
}

TEST(Tls, ARecordThatWasTouchedEndsIt) {
  const auto touch = [](auto&& how) {
    Pair pair;
    pair.client.write(as_bytes("one"));
    Value one = std::exchange(pair.client.outgoing(), {});
    pair.client.write(as_bytes("two"));
    const Value two = std::exchange(pair.client.outgoing(), {});
    const std::string read = how(pair, one, two);
    EXPECT_EQ(pair.server.state(), State::failed);
    EXPECT_EQ(pair.server.failure(), Tls::Failure::tampered) << pair.server.why();
    return read;
  };
  const auto flipped = [](Pair& pair, Value one, const Value&) {
    one.back() ^= std::byte{1};
    return Pair::taken(pair.server, one);
  };
  const auto left_out = [](Pair& pair, const Value&, const Value& two) {
    return Pair::taken(pair.server, two);
  };
  const auto repeated = [](Pair& pair, const Value& one, const Value&) {
    const std::string first = Pair::taken(pair.server, one);
    return first + Pair::taken(pair.server, one);
  };
  const auto reordered = [](Pair& pair, const Value& one, const Value& two) {
    const std::string first = Pair::taken(pair.server, two);
    return first + Pair::taken(pair.server, one);
  };
  const auto reflected = [](Pair& pair, const Value&, const Value&) {
    pair.server.write(as_bytes("back"));
    return Pair::taken(pair.server, std::exchange(pair.server.outgoing(), {}));
  };
  EXPECT_EQ(touch(flipped), "");
  EXPECT_EQ(touch(left_out), "");
  EXPECT_EQ(touch(repeated), "one");
  EXPECT_EQ(touch(reordered), "");
  EXPECT_EQ(touch(reflected), "");
}

/// A key is a session to OpenSSL, and sessions end.
TEST(Tls, AKeyDoesNotEnd) {
  const auto old = [](const std::shared_ptr<const TlsContext>& made) {
    SSL_SESSION* key = made->key_session();
    SSL_SESSION_set_time(key, SSL_SESSION_get_time(key) - 30L * 24 * 3600);
    return made;
  };
  const auto serves = old(context(TlsSide::server));
  Pair month(old(context(TlsSide::client)), serves);
  EXPECT_EQ(month.server.state(), State::open) << month.server.why();
  SSL_SESSION_set_timeout(serves->key_session(), 300);
  Pair ended(old(context(TlsSide::client)), serves);
  EXPECT_EQ(ended.server.state(), State::failed) << "this test sees nothing";
}

/// Of the bytes that malloc has given out; none under sanitizers, which have their own.
std::size_t allocated_bytes() {
  return mallinfo2().uordblks;
}

TEST(Tls, HandshakesAndIdleLinksCostLittle) {
  constexpr std::size_t count = limits::tls_handshakes_max;
  Tls client(context(TlsSide::client));
  client.shake();
  const auto asks = context(TlsSide::client);
  const auto serves = context(TlsSide::server);
  Pair first;  // whatever OpenSSL makes once
  std::vector<std::unique_ptr<Tls>> shaking;
  const std::size_t before = allocated_bytes();
  for (std::size_t i = 0; i < count; ++i) {
    shaking.push_back(std::make_unique<Tls>(serves));
    shaking.back()->feed(client.outgoing());
    shaking.back()->shake();
    ASSERT_EQ(shaking.back()->state(), State::shaking);
    ASSERT_FALSE(shaking.back()->outgoing().empty());
  }
  EXPECT_LT(allocated_bytes() - before, 2U << 20);

  std::vector<std::unique_ptr<Tls>> idle;
  const std::size_t none_idle = allocated_bytes();
  for (std::size_t i = 0; i < count; ++i) {
    Tls asking(asks);  // it keeps its buffers, but is one of few
    Tls& serving = *idle.emplace_back(std::make_unique<Tls>(serves));
    Pair::shake_hands(asking, serving);
    asking.write(as_bytes(std::string(20'000, 'x')));
    EXPECT_EQ(Pair::moved(asking, serving).size(), 20'000U);
  }
  EXPECT_LT((allocated_bytes() - none_idle) / count, 24U * 1024);
}

/// What another TLS answers to, or begins with, that was told to do without what is ours.
struct Foreign {
  explicit Foreign(const SSL_METHOD* method) : context(SSL_CTX_new(method), SSL_CTX_free) {}
  /// One flight, as answer to `sealed`; empty: it begins.
  Value flight(Bytes sealed) {
    const std::unique_ptr<SSL, void (*)(SSL*)> ssl(SSL_new(context.get()), SSL_free);
    BIO* in = BIO_new(BIO_s_mem());
    BIO* out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl.get(), in, out);
    BIO_write(in, sealed.data(), static_cast<int>(sealed.size()));
    sealed.empty() ? SSL_connect(ssl.get()) : SSL_accept(ssl.get());
    Value answer(1U << 14);
    const int size = BIO_read(out, answer.data(), static_cast<int>(answer.size()));
    answer.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    ERR_clear_error();
    return answer;
  }
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context;
};

TEST(Tls, NothingLessIsAgreedOn) {
  const auto old = [](SSL_CTX* context) { SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION); };
  const auto other_cipher = [](SSL_CTX* context) {
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context, "TLS_CHACHA20_POLY1305_SHA256");
  };
  const auto other_group = [](SSL_CTX* context) {
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set1_groups_list(context, "P-256");
  };
  const std::vector<std::function<void(SSL_CTX*)>> kinds = {old, other_cipher, other_group};
  for (const auto& kind : kinds) {
    Foreign asks(TLS_client_method());
    kind(asks.context.get());
    Tls server(context(TlsSide::server));
    Pair::taken(server, asks.flight({}));
    EXPECT_EQ(server.state(), State::failed);
    EXPECT_EQ(server.failure(), Tls::Failure::versions) << server.why();

    Foreign serves(TLS_server_method());
    kind(serves.context.get());
    Tls client(context(TlsSide::client));
    client.shake();
    Pair::taken(client, serves.flight(std::exchange(client.outgoing(), {})));
    EXPECT_EQ(client.state(), State::failed);
    EXPECT_THAT(client.why(), HasSubstr("the peer turned it down"));
  }
}

TEST(Tls, WhatIsNoTlsIsSaid) {
  Tls client(context(TlsSide::client));
  client.shake();
  EXPECT_EQ(Pair::taken(client, as_bytes("SSH-2.0-OpenSSH_9.2\r\n")), "");
  EXPECT_EQ(client.failure(), Tls::Failure::not_tls) << client.why();
  EXPECT_THAT(client.why(), HasSubstr("no TLS"));
}

TEST(Tls, AnAlertOfAPlainServerIsUnderstood) {
  Tls client(context(TlsSide::client));
  client.shake();
  Pair::taken(client, as_bytes(std::string_view("\x15\x03\x03\x00\x02\x02\x0a", 7)));
  EXPECT_EQ(client.failure(), Tls::Failure::not_tls) << client.why();
}

}  // namespace
}  // namespace muster::net
