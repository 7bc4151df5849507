#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/digest.hpp>
#include <muster/unique_id.hpp>

#include "job/unique_id_fixture.hpp"
#include "net/address.hpp"
#include "net/connect.hpp"
#include "net/listen.hpp"

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using UniqueIdTest = UniqueIdFixture;

std::string why_not(std::string_view text) {
  const auto id = UniqueId::parse(text);
  return id ? "nothing is wrong" : id.error().text();
}

bool listens(const UniqueId& id) {
  net::BackOff back_off(1);
  return net::connect(*net::Url::parse(id.url()), back_off, Clock::now()).ok();
}

TEST_F(UniqueIdTest, goes_through_text_and_bytes_unchanged) {
  const UniqueId id = local({.job_id = "train-7"});
  EXPECT_EQ(id.job_id(), "train-7");
  EXPECT_THAT(id.url(), StartsWith("tcp://127.0.0.1:"));
  EXPECT_NE(id.version0_magic(), 0);
  EXPECT_NE(id.incarnation().number, 0U);
  EXPECT_EQ(id.secret().bytes().size(), 32U);
  EXPECT_THAT(id.text(), StartsWith("muster1:"));
  const UniqueId::BytesForm bytes = id.bytes();
  for (const auto& copy : {UniqueId::parse(id.text()), UniqueId::parse("\n " + id.text() + "\r\n"),
                           UniqueId::from_bytes(bytes)}) {
    ASSERT_TRUE(copy.ok()) << copy.error().text();
    EXPECT_EQ(copy->url(), id.url());
    EXPECT_EQ(copy->job_id(), id.job_id());
    EXPECT_EQ(copy->incarnation(), id.incarnation());
    EXPECT_EQ(copy->version0_magic(), id.version0_magic());
    EXPECT_TRUE(copy->secret() == id.secret());
    EXPECT_EQ(copy->text(), id.text());
  }
  id.release();
}

TEST_F(UniqueIdTest, the_example_of_the_formats_page_is_one) {
  const auto id = UniqueId::parse(
      "muster1:4d555354455249440100570034120000070000000000000000010203040506070809"
      "0a0b0c0d0e0f101112131415161718191a1b1c1d1e1f040064656d6f13007463703a2f2f3130"
      "2e302e302e353a343731314e97b0af");
  ASSERT_TRUE(id.ok()) << id.error().text();
  EXPECT_EQ(id->url(), "tcp://10.0.0.5:4711");
  EXPECT_EQ(id->job_id(), "demo");
  EXPECT_EQ(id->incarnation().number, 7U);
  EXPECT_EQ(id->version0_magic(), 0x1234);
  EXPECT_EQ(to_hex(id->secret().bytes()).substr(0, 8), "00010203");
}

TEST_F(UniqueIdTest, no_two_are_alike) {
  const UniqueId one = local();
  const UniqueId other = local();
  EXPECT_NE(one.url(), other.url());
  EXPECT_NE(one.job_id(), other.job_id());
  EXPECT_FALSE(one.secret() == other.secret());
  one.release();
  other.release();
}

TEST_F(UniqueIdTest, a_text_that_is_cut_off_or_altered_anywhere_is_refused_and_not_shown) {
  const UniqueId id = local();
  const std::string text = id.text();
  const std::string secret = to_hex(id.secret().bytes());
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string why = why_not(text.substr(0, size));
    EXPECT_THAT(
        why, testing::AnyOf(HasSubstr("cut off"), HasSubstr("no unique id"), HasSubstr("is empty")))
        << size;
    EXPECT_THAT(why, Not(HasSubstr(secret.substr(0, 8))));
  }
  for (std::size_t at = 8; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = changed[at] == '0' ? '1' : '0';
    const std::string why = why_not(changed);
    EXPECT_THAT(why, Not(HasSubstr("nothing is wrong"))) << at;
    EXPECT_THAT(why, Not(HasSubstr(secret.substr(0, 8))));
  }
  id.release();
}

TEST_F(UniqueIdTest, says_what_is_wrong_with_a_text) {
  const UniqueId id = local();
  const std::string text = id.text();
  EXPECT_THAT(why_not(""), HasSubstr("the unique id is empty"));
  EXPECT_THAT(why_not("tcp://node0:4711"),
              AllOf(HasSubstr("that is no unique id"), HasSubstr("expected muster1:")));
  EXPECT_THAT(why_not("muster2:00"), HasSubstr("of format 2, this release reads 1"));
  EXPECT_THAT(why_not("muster:00"), HasSubstr("no unique id"));
  EXPECT_THAT(why_not(text.substr(0, text.size() - 1)), HasSubstr("are no whole bytes"));
  EXPECT_THAT(why_not(text.substr(0, text.size() - 2)), HasSubstr("it has "));
  EXPECT_THAT(why_not(text + "00"), HasSubstr("nothing is wrong")) << "zeros, as in the bytes form";
  EXPECT_THAT(why_not(text + "01"), HasSubstr("altered"));
  std::string upper = text;
  upper[10] = 'G';
  EXPECT_THAT(why_not(upper), HasSubstr("character 11 is no digit of 0-9a-f"));
  id.release();
}

TEST_F(UniqueIdTest, bytes_of_another_kind_or_version_are_told_apart) {
  const UniqueId id = local();
  UniqueId::BytesForm bytes = id.bytes();
  const auto why = [](Bytes given) { return UniqueId::from_bytes(given).error().text(); };
  EXPECT_THAT(why({}), HasSubstr("cut off: it has 0 bytes"));
  EXPECT_THAT(why(Bytes(bytes).first(11)), HasSubstr("cut off: it has 11 bytes"));
  EXPECT_THAT(why(Bytes(bytes).first(60)), HasSubstr("cut off: it has 60 bytes of"));
  bytes.back() = std::byte{1};
  EXPECT_THAT(why(bytes), HasSubstr("altered"));
  bytes = id.bytes();
  bytes[8] = std::byte{2};
  EXPECT_THAT(why(bytes), HasSubstr("of format 2"));
  bytes[0] = std::byte{0};
  EXPECT_THAT(why(bytes), HasSubstr("no unique id"));
  Value longer(UniqueId::bytes_size + 1);
  const UniqueId::BytesForm whole = id.bytes();
  std::copy(whole.begin(), whole.end(), longer.begin());
  EXPECT_FALSE(UniqueId::from_bytes(longer).ok());
  id.release();
}

TEST_F(UniqueIdTest, the_longest_one_fits_its_bytes) {
  const std::string label(63, 'a');
  const std::string name = label + "." + label + "." + label + "." + label.substr(2);
  ASSERT_EQ(name.size(), 253U);
  const UniqueId id = local({.advertise = name + ":65535", .job_id = std::string(64, 'j')});
  EXPECT_EQ(UniqueId::from_bytes(id.bytes())->url(), "tcp://" + name + ":65535");
  EXPECT_EQ(UniqueId::parse(id.text())->job_id(), id.job_id());
  id.release();
}

TEST_F(UniqueIdTest, its_socket_listens_until_it_is_released) {
  const UniqueId id = local();
  EXPECT_TRUE(listens(id));
  const UniqueId copy = UniqueId::parse(id.text()).value();
  copy.release();
  EXPECT_FALSE(listens(id)) << "a copy of the id is the same id";
  id.release();
}

TEST_F(UniqueIdTest, binds_exactly_the_session_that_is_said) {
  for (const char* variable : {"MUSTER_UID_SESSION_ID", "SHMEM_UID_SESSION_ID"}) {
    set(variable, "127.0.0.5:0");
    const auto id = UniqueId::create();
    ASSERT_TRUE(id.ok()) << id.error().text();
    EXPECT_THAT(id->url(), StartsWith("tcp://127.0.0.5:"));
    id->release();
    unsetenv(variable);
  }
}

TEST_F(UniqueIdTest, a_session_in_use_is_an_error_that_names_the_variable) {
  const UniqueId first = local();
  set("MUSTER_UID_SESSION_ID", first.url().substr(6));
  EXPECT_THAT(complaint(), AllOf(HasSubstr("MUSTER_UID_SESSION_ID: cannot listen on"),
                                 HasSubstr("Address already in use")));
  first.release();
}

TEST_F(UniqueIdTest, takes_the_interface_that_is_said) {
  for (const char* variable : {"MUSTER_UID_IFNAME", "SHMEM_UID_SOCK_IFNAME"}) {
    set(variable, "lo:inet4");
    const auto id = UniqueId::create();
    ASSERT_TRUE(id.ok()) << id.error().text();
    EXPECT_THAT(id->url(), StartsWith("tcp://127."));
    id->release();
    unsetenv(variable);
  }
}

TEST_F(UniqueIdTest, options_win_over_the_own_variables_and_these_over_the_foreign_ones) {
  const auto host = [](const UniqueIdOptions& options = {}) {
    const auto id = UniqueId::create(options);
    if (!id) return id.error().text();
    id->release();
    return net::Url::parse(id->url())->host;
  };
  set("SHMEM_UID_SOCK_IFNAME", "wrong1");
  set("SHMEM_UID_SESSION_ID", "127.0.0.2:0");
  EXPECT_EQ(host(), "127.0.0.2");
  set("MUSTER_UID_IFNAME", "lo:inet4");
  EXPECT_EQ(host(), "127.0.0.1");
  set("MUSTER_UID_SESSION_ID", "127.0.0.3:0");
  EXPECT_EQ(host(), "127.0.0.3");
  EXPECT_EQ(host({.interfaces = "lo:inet4"}), "127.0.0.1");
  EXPECT_EQ(host({.session_id = "127.0.0.4:0", .interfaces = "lo:inet4"}), "127.0.0.4");
}

TEST_F(UniqueIdTest, what_is_wrong_is_named_after_who_said_it) {
  set("MUSTER_UID_IFNAME", "wrong9");
  EXPECT_THAT(complaint(),
              AllOf(HasSubstr("MUSTER_UID_IFNAME: 'wrong9' matches none"), HasSubstr("lo (")));
  EXPECT_THAT(complaint({.interfaces = "eth0,"}), HasSubstr("interfaces: 'eth0,' is no list"));
  EXPECT_THAT(
      complaint({.session_id = "node7"}),
      AllOf(HasSubstr("session_id: 'node7' is no address"), HasSubstr("expected host:port")));
  EXPECT_THAT(complaint({.session_id = "192.0.2.99:0"}),
              HasSubstr("none of this host's addresses"));
  EXPECT_THAT(complaint({.session_id = "127.0.0.1:0", .job_id = "no job"}), HasSubstr("no job"));
  set("MUSTER_ADVERTISE", "node7:0");
  EXPECT_THAT(complaint({.session_id = "127.0.0.1:0"}),
              HasSubstr("MUSTER_ADVERTISE: 'node7:0' cannot be advertised"));
}

TEST_F(UniqueIdTest, tells_what_is_to_be_advertised_and_binds_what_is_to_be_bound) {
  set("MUSTER_ADVERTISE", "gateway.example:4711");
  const UniqueId id = local();
  EXPECT_EQ(id.url(), "tcp://gateway.example:4711");
  id.release();
}

TEST_F(UniqueIdTest, is_read_from_a_private_file_a_descriptor_or_a_variable) {
  const UniqueId id = local();
  char path[] = "/tmp/muster-uid-XXXXXX";
  const net::Fd file(::mkstemp(path));
  const std::string line = id.text() + "\n";
  ASSERT_EQ(::write(file.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
  EXPECT_EQ(UniqueId::from_environment().value(), std::nullopt);

  set("MUSTER_UID_FILE", path);
  EXPECT_EQ(UniqueId::from_environment().value()->text(), id.text());
  set("MUSTER_UID", id.text());
  EXPECT_THAT(
      UniqueId::from_environment().error().text(),
      AllOf(HasSubstr("MUSTER_UID_FILE and MUSTER_UID are both set"), Not(HasSubstr(id.text()))));
  unsetenv("MUSTER_UID_FILE");
  EXPECT_EQ(UniqueId::from_environment().value()->text(), id.text());
  unsetenv("MUSTER_UID");
  set("MUSTER_UID_FD", std::to_string(::open(path, O_RDONLY | O_CLOEXEC)));
  EXPECT_EQ(UniqueId::from_environment().value()->text(), id.text());
  set("MUSTER_UID_FD", "x");
  EXPECT_THAT(UniqueId::from_environment().error().text(), HasSubstr("MUSTER_UID_FD is 'x'"));
  unsetenv("MUSTER_UID_FD");

  ::fchmod(file.get(), 0640);
  set("MUSTER_UID_FILE", path);
  EXPECT_THAT(UniqueId::from_environment().error().text(),
              AllOf(HasSubstr("MUSTER_UID_FILE: "), HasSubstr(path)));
  ::unlink(path);
  EXPECT_THAT(UniqueId::from_environment().error().text(), HasSubstr("MUSTER_UID_FILE: "));
  set("MUSTER_UID_FILE", id.text());
  EXPECT_THAT(UniqueId::from_environment().error().text(),
              AllOf(HasSubstr("where the path of its file is expected"),
                    Not(HasSubstr(id.text().substr(8, 8)))));
  id.release();
}

}  // namespace
}  // namespace muster
