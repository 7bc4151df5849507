// Who gets in over TLS by a secret, who does not, and what both sides say.
#include "net/tls.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <vector>

#include "base/limits.hpp"
#include "net/fd.hpp"
#include "net/url.hpp"
#include "protected_job.hpp"
#include "support/raw_link.hpp"
#include "support/temp_dir.hpp"

namespace muster::security_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class TlsJob : public testing::Test {
 protected:
  auto join(Credentials credentials, const std::string& job = "") {
    return ProtectedJob::join(served_.url(), std::move(credentials), job);
  }
  const Secret secret_ = Secret::random();
  ProtectedJob served_{by_tls(secret_)};
};

TEST_F(TlsJob, MembersAndToolsComeIn) {
  auto rank0 = join(by_tls(secret_), "demo");
  ASSERT_TRUE(rank0) << rank0.error().text();
  const std::string large(5U << 20, 'L');
  ASSERT_TRUE(rank0->store().set("k", as_bytes(large)));
  auto store = connect_store(served_.url(), {}, by_tls(secret_));
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ((*store)->get("k").value(), to_value(large));
  EXPECT_EQ(query_status(served_.url(), {}, by_tls(secret_)).value().joined, 1U);
}

TEST_F(TlsJob, WorksOverUnixSocketsToo) {
  const support::TempDir directory;
  ProtectedJob served(by_tls(secret_), "demo", directory.unix_url());
  const auto rank0 = ProtectedJob::join(served.url(), by_tls(secret_));
  EXPECT_TRUE(rank0) << rank0.error().text();
}

TEST_F(TlsJob, ServingRanksOwnLinkStaysInTheProcess) {
  JoinOptions options;
  options.url = "tcp://127.0.0.1:0";
  options.rank = 0;
  options.size = 2;
  options.until = Until::admitted;
  options.log = [](LogLevel, std::string_view) {};
  options.credentials = by_tls(secret_);
  auto rank0 = Job::join(std::move(options));
  ASSERT_TRUE(rank0) << rank0.error().text();
  EXPECT_EQ(query_status(rank0->url(), {}, by_tls(secret_)).value().joined, 1U);
}

TEST_F(TlsJob, AnotherSecretIsRefusedAtOnce) {
  const auto joined = join(by_tls(Secret::random()));
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, Code::refused);
  EXPECT_EQ(joined.error().phase, Phase::tls);
  EXPECT_THAT(joined.error().text(), HasSubstr("another secret than this process"));
  EXPECT_TRUE(served_.logs("TLS handshake failed: the peer does not hold this job's secret"));
}

TEST_F(TlsJob, WhoBelongsToAnotherJobIsToldByName) {
  const auto joined = join(by_tls(secret_), "other");
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, Code::refused);
  EXPECT_THAT(joined.error().text(), HasSubstr("you belong to job 'other'"));
}

TEST_F(TlsJob, WhoComesInTheClearIsToldWhatItLacks) {
  for (const Credentials& credentials : {Credentials{}, by_secret(secret_)}) {
    const auto joined = join(credentials);
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code, Code::refused);
    EXPECT_THAT(joined.error().text(), HasSubstr("is served over TLS, and you came without"));
  }
}

TEST_F(TlsJob, AServerInTheClearIsNamedAtOnce) {
  for (const Credentials& credentials : {Credentials{}, by_secret(secret_)}) {
    ProtectedJob plain(credentials);
    const auto joined = ProtectedJob::join(plain.url(), by_tls(secret_));
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code, Code::protocol);
    EXPECT_THAT(joined.error().text(), HasSubstr("the peer does not speak TLS"));
    EXPECT_THAT(joined.error().advice, HasSubstr("start the server with the same security"));
    EXPECT_TRUE(plain.logs("a TLS hello is no hello"));
  }
}

TEST_F(TlsJob, NoiseAndHalfHellosHurtNobody) {
  using std::literals::operator""sv;
  support::RawLink half(served_.url());
  half.send("\x16\x03\x01\x00"sv);
  for (const std::string_view text :
       {"\x16\x03\x01\xff\xff garbage"sv, "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"sv,
        "GET / HTTP/1.1\r\n\r\n"sv, "\x16\x03\x01\x00\x04\x02\x00\x00\x00"sv}) {
    support::RawLink noise(served_.url());
    noise.send(text);
    EXPECT_TRUE(noise.closed_within());
  }
  EXPECT_TRUE(served_.logs("turned 127.0.0.1"));
  const auto rank0 = join(by_tls(secret_));
  EXPECT_TRUE(rank0) << rank0.error().text();
  EXPECT_FALSE(served_.status().failure);
}

/// Who stops in the middle of its handshake has its place, until it holds others up.
/// Half of the places are for one source.
TEST_F(TlsJob, HandshakesThatDoNotGoOnMakeWay) {
  net::Tls stopped(net::TlsContext::make(net::TlsSide::client, secret_, "demo").value());
  stopped.shake();
  std::vector<support::RawLink> links;
  for (std::size_t i = 0; i < limits::tls_handshakes_max / 2; ++i) {
    links.emplace_back(served_.url()).send(stopped.outgoing());
    EXPECT_EQ(links.back().receive(1).size(), 1U) << "its handshake goes on";
  }
  support::RawLink waits(served_.url());
  waits.send(stopped.outgoing());
  const auto rank0 = join(by_tls(secret_));
  EXPECT_TRUE(rank0) << rank0.error().text();
  EXPECT_TRUE(served_.logs("it does not go on, and others wait"));
}

/// A connection from another address of this host, that says `first` and nothing more.
net::Fd stop_halfway_elsewhere(const std::string& url, Bytes first) {
  net::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  const auto* either = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(socket.get(), either, sizeof address) != 0) return {};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(net::Url::parse(url)->port);
  if (::connect(socket.get(), either, sizeof address) != 0) return {};
  if (::send(socket.get(), first.data(), first.size(), MSG_NOSIGNAL) < 0) return {};
  return socket;
}

TEST_F(TlsJob, HandshakesThatDoNotGoOnHoldUpNobodyFromElsewhere) {
  net::Tls stopped(net::TlsContext::make(net::TlsSide::client, secret_, "demo").value());
  stopped.shake();
  std::vector<net::Fd> links;
  for (std::size_t i = 0; i < 10 * limits::tls_handshakes_max; ++i) {
    links.push_back(stop_halfway_elsewhere(served_.url(), stopped.outgoing()));
    ASSERT_TRUE(links.back()) << "127.0.0.2 is no address of this host";
  }
  const TimePoint begun = Clock::now();
  const auto rank0 = join(by_tls(secret_));
  EXPECT_TRUE(rank0) << rank0.error().text();
  EXPECT_LT(Clock::now() - begun, limits::tls_handshake_time_max) << "it waited for its turn";
}

}  // namespace
}  // namespace muster::security_test
