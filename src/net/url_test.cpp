#include "net/url.hpp"

#include <gmock/gmock.h>
#include <string>

namespace muster::net {
namespace {

using Scheme = Url::Scheme;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Url, takes_every_form_apart_and_writes_it_back) {
  struct Case {
    std::string text;
    Url url;
    std::string again;
  };
  const Case cases[] = {
      {"tcp://127.0.0.1:4711", {Scheme::tcp, "127.0.0.1", 4711, ""}, ""},
      {"tcp://node-7.cluster_a.example:1", {Scheme::tcp, "node-7.cluster_a.example", 1, ""}, ""},
      {"tcp://node7.:65535", {Scheme::tcp, "node7.", 65535, ""}, ""},
      {"tcp://0.0.0.0:0", {Scheme::tcp, "0.0.0.0", 0, ""}, ""},
      {"tcp6://[::1]:80", {Scheme::tcp6, "::1", 80, ""}, ""},
      {"tcp6://[fe80::1%eth0]:80", {Scheme::tcp6, "fe80::1%eth0", 80, ""}, ""},
      {"tcp6://[fe80::1%2]:80", {Scheme::tcp6, "fe80::1%2", 80, ""}, ""},
      {"tcp6://node7:80", {Scheme::tcp6, "node7", 80, ""}, ""},
      {"tcp6://[node7]:80", {Scheme::tcp6, "node7", 80, ""}, "tcp6://node7:80"},
      {"tcp://[::1]:80", {Scheme::tcp6, "::1", 80, ""}, "tcp6://[::1]:80"},
      {"tcp://h:00080", {Scheme::tcp, "h", 80, ""}, "tcp://h:80"},
      {"unix:///run/muster/job.sock", {Scheme::unix_socket, "", 0, "/run/muster/job.sock"}, ""},
      {"unix:///tmp/a b:1@c#", {Scheme::unix_socket, "", 0, "/tmp/a b:1@c#"}, ""},
  };
  for (const Case& one : cases) {
    const Result<Url> url = Url::parse(one.text);
    ASSERT_TRUE(url.ok()) << url.error().text();
    EXPECT_EQ(*url, one.url) << one.text;
    EXPECT_EQ(url->text(), one.again.empty() ? one.text : one.again);
    EXPECT_EQ(Url::parse(url->text()).value(), *url) << one.text;
  }
}

TEST(Url, says_what_is_wrong_with_each_malformed_form) {
  struct Case {
    std::string text;
    std::string wrong;
  };
  const Case cases[] = {
      {"", "no scheme"},
      {"node7:4711", "no scheme"},
      {"127.0.0.1", "no scheme"},
      {"tcp:/node7:4711", "no scheme"},
      {"http://node7:80", "the scheme 'http' is not known"},
      {"TCP://node7:80", "the scheme 'TCP' is not known"},
      {"://node7:80", "the scheme '' is not known"},
      {"tcp://", "the host is missing"},
      {"tcp://:80", "the host is missing"},
      {"tcp6://[]:80", "the host is missing"},
      {"tcp://node7", "the port is missing"},
      {"tcp://node7:", "the port is missing"},
      {"tcp6://[::1]", "the port is missing"},
      {"tcp6://[::1]:", "the port is missing"},
      {"tcp://node7:http", "port 'http' is not a number from 1 to 65535"},
      {"tcp://node7:65536", "port '65536' is not a number"},
      {"tcp://node7:-1", "port '-1' is not a number"},
      {"tcp://node7:+1", "port '+1' is not a number"},
      {"tcp://node7: 80", "port ' 80' is not a number"},
      {"tcp://node7:80\n", "port '80\\x0a' is not a number"},
      {"tcp://node7:99999999999999999999", "is not a number"},
      {"tcp6://[::1]x80", "port '80' is not a number"},
      {"tcp://node7:80/", "nothing may follow the port: '/'"},
      {"tcp://node7:80/path", "nothing may follow the port: '/path'"},
      {"tcp://node7:80?wire=7", "'wire=7' is no version that can be asked for"},
      {"tcp://node7:80?wire=0", "wire=0 is for the store alone: a job speaks version 1"},
      {"tcp://node7:80#top", "nothing may follow the port: '#top'"},
      {"tcp://node 7:80", "'node 7' is no host name"},
      {"tcp://.node7:80", "'.node7' is no host name"},
      {"tcp://a..b:80", "'a..b' is no host name"},
      {"tcp://*:80", "'*' is no host name"},
      {"tcp://" + std::string(254, 'a') + ":80", "is no host name"},
      {"tcp://300.1.1.1:80", "'300.1.1.1' is no IPv4 address"},
      {"tcp://127.1:80", "'127.1' is no IPv4 address"},
      {"tcp://::1:80", "needs brackets"},
      {"tcp6://::1", "needs brackets"},
      {"tcp6://fe80::1%eth0:80", "needs brackets"},
      {"tcp6://[::1:80", "the closing bracket is missing"},
      {"tcp6://[::g]:80", "'::g' in brackets is no IPv6 address"},
      {"tcp6://[fe80::1%]:80", "in brackets is no IPv6 address"},
      {"tcp6://[fe80::1%sixteen-letters-]:80", "in brackets is no IPv6 address"},
      {"tcp://[node7]:80", "'node7' in brackets is no IPv6 address"},
      {"tcp6://127.0.0.1:80", "'127.0.0.1' is an IPv4 address, tcp6 is for IPv6"},
      {"unix://", "the path is missing"},
      {"unix://run/job", "the path is not absolute"},
      {"unix:///", "names a directory"},
      {"unix:///run/", "names a directory"},
      {"unix:///run/job?wire=0", "wire=0 is for the store alone"},
      {std::string("unix:///a\0b", 11), "holds a zero byte"},
  };
  for (const Case& one : cases) {
    const Result<Url> url = Url::parse(one.text);
    ASSERT_FALSE(url.ok()) << one.text;
    EXPECT_EQ(url.error().code, Code::invalid_argument) << one.text;
    EXPECT_THAT(url.error().what, HasSubstr(one.wrong)) << one.text;
    EXPECT_THAT(url.error().what, AllOf(HasSubstr("is no address of a job"))) << one.text;
    EXPECT_THAT(url.error().advice, HasSubstr("tcp://HOST:PORT, tcp6://[ADDRESS]:PORT or unix://"))
        << one.text;
  }
}

TEST(Url, a_store_may_be_asked_for_in_version_0) {
  for (const std::string text : {"tcp://node7:80", "tcp6://[::1]:80", "unix:///run/job"}) {
    const Url url = Url::parse_for_store(text + "?wire=0").value();
    EXPECT_TRUE(url.version0);
    EXPECT_EQ(url.text(), text + "?wire=0");
    EXPECT_EQ(Url::parse_for_store(url.text()).value(), url);
    const Url plain = Url::parse_for_store(text).value();
    EXPECT_FALSE(plain.version0);
    EXPECT_EQ(plain, Url::parse(text).value());
  }
  EXPECT_EQ(Url::parse_for_store("unix:///run/job?wire=0").value().path, "/run/job");
}

TEST(Url, every_other_parameter_is_an_error_that_names_it) {
  const std::pair<std::string, std::string> cases[] = {
      {"tcp://n:80?", "the parameter '' is not known, only wire is"},
      {"tcp://n:80?wire", "'wire' is no version that can be asked for, only wire=0 is"},
      {"tcp://n:80?wire=", "'wire=' is no version"},
      {"tcp://n:80?wire=1", "'wire=1' is no version"},
      {"tcp://n:80?wire=00", "'wire=00' is no version"},
      {"tcp://n:80?WIRE=0", "the parameter 'WIRE=0' is not known"},
      {"tcp://n:80?magic=3", "the parameter 'magic=3' is not known"},
      {"tcp://n:80?wire=0&retry=1", "the parameter 'retry=1' is not known"},
      {"unix:///run/job?x", "the parameter 'x' is not known"},
      {"tcp://n:80?wire=0#top", "'wire=0#top' is no version"},
  };
  for (const auto& [text, wrong] : cases) {
    const Result<Url> url = Url::parse_for_store(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.error().code, Code::invalid_argument) << text;
    EXPECT_THAT(url.error().what, HasSubstr(wrong)) << text;
  }
}

TEST(Url, an_error_names_what_was_given_but_no_password) {
  const Result<Url> plain = Url::parse("tcp://node7");
  EXPECT_THAT(plain.error().text(), HasSubstr("'tcp://node7'"));
  const Result<Url> secret = Url::parse("tcp://me:p@ssw0rd@node7:80");
  ASSERT_FALSE(secret.ok());
  EXPECT_THAT(secret.error().text(), AllOf(HasSubstr("'tcp://...@node7:80'"),
                                           HasSubstr("a user or password has no place in it"),
                                           Not(HasSubstr("p@ss")), Not(HasSubstr("me:"))));
}

TEST(Url, a_unix_path_may_be_as_long_as_a_socket_address_holds) {
  const std::string longest = "/" + std::string(unix_path_bytes_max - 1, 'p');
  EXPECT_TRUE(Url::parse("unix://" + longest).ok());
  const Result<Url> longer = Url::parse("unix://" + longest + "p");
  ASSERT_FALSE(longer.ok());
  EXPECT_THAT(longer.error().what,
              HasSubstr("the path has 108 bytes, a socket's path at most 107"));
}

}  // namespace
}  // namespace muster::net
