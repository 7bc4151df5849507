#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <muster/security.hpp>

namespace muster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string good(Secret::bytes_min, 's');

class SecretFile : public ::testing::Test {
 protected:
  ~SecretFile() override {
    for (const std::string& each : written_) ::unlink(each.c_str());
  }

  std::string write(const std::string& content, mode_t mode = 0600) {
    char name[] = "/tmp/muster_secret_XXXXXX";
    const int fd = ::mkstemp(name);
    path_ = name;
    written_.push_back(path_);
    EXPECT_EQ(::write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    EXPECT_EQ(::fchmod(fd, mode), 0);
    ::close(fd);
    return path_;
  }
  std::string path_;
  std::vector<std::string> written_;
};

TEST(SecretLength, HasBounds) {
  for (const std::size_t size : {Secret::bytes_min, Secret::bytes_max}) {
    EXPECT_TRUE(Secret::from_bytes(Value(size))) << size;
  }
  for (const std::size_t size : {Secret::bytes_min - 1, Secret::bytes_max + 1}) {
    const auto secret = Secret::from_bytes(Value(size));
    ASSERT_FALSE(secret) << size;
    EXPECT_EQ(secret.error().code, Code::invalid_argument);
    EXPECT_THAT(secret.error().text(),
                AllOf(HasSubstr(std::to_string(size)), HasSubstr("32 to 1024")));
  }
}

TEST_F(SecretFile, LosesOneNewline) {
  const auto secret = Secret::from_file(write(good + "\n"));
  ASSERT_TRUE(secret) << secret.error().text();
  EXPECT_EQ(as_text(secret->bytes()), good);
  EXPECT_EQ(as_text(Secret::from_file(write(good + "\n\n"))->bytes()), good + "\n");
}

TEST_F(SecretFile, IsForItsOwnerOnly) {
  for (const mode_t mode : {0640, 0604, 0620, 0602}) {
    const auto secret = Secret::from_file(write(good, mode));
    ASSERT_FALSE(secret) << std::oct << mode;
    EXPECT_EQ(secret.error().code, Code::invalid_argument);
    EXPECT_THAT(secret.error().text(), AllOf(HasSubstr(path_), HasSubstr("others may read"),
                                             HasSubstr("0600"), Not(HasSubstr(good))));
  }
  EXPECT_TRUE(Secret::from_file(write(good, 0400)));
}

TEST_F(SecretFile, SaysWhyItCannotBeRead) {
  EXPECT_THAT(Secret::from_file("/nowhere/secret").error().text(),
              AllOf(HasSubstr("/nowhere/secret"), HasSubstr("No such file")));
  EXPECT_THAT(Secret::from_file("/dev/null").error().text(), HasSubstr("no regular file"));
  const auto short_one = Secret::from_file(write("too short"));
  EXPECT_THAT(short_one.error().text(), AllOf(HasSubstr("9 bytes"), Not(HasSubstr("too short"))));
  const auto long_one = Secret::from_file(write(std::string(Secret::bytes_max + 1, 'x')));
  EXPECT_THAT(long_one.error().text(), HasSubstr("more than 1024 bytes"));
}

TEST(SecretDescriptor, IsReadToItsEndAndClosed) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], good.data(), 10), 10);
  ASSERT_EQ(::write(ends[1], good.data() + 10, good.size() - 10),
            static_cast<ssize_t>(good.size() - 10));
  ::close(ends[1]);
  const auto secret = Secret::from_fd(ends[0]);
  ASSERT_TRUE(secret) << secret.error().text();
  EXPECT_EQ(as_text(secret->bytes()), good);
  EXPECT_THAT(Secret::from_fd(ends[0]).error().text(), HasSubstr("descriptor"));
}

TEST(SecretValue, ComparesAndCopies) {
  const Secret one = Secret::random();
  Secret other = Secret::random();
  EXPECT_FALSE(one == other);
  other = one;
  EXPECT_TRUE(one == other);
  const Secret moved = std::move(other);
  EXPECT_TRUE(one == moved);
  EXPECT_EQ(one.bytes().size(), Secret::bytes_min);
}

TEST(CredentialsSettle, ByWhatIsThere) {
  Credentials credentials;
  EXPECT_EQ(*credentials.settled(), Security::none);
  credentials.secret = Secret::random();
  EXPECT_EQ(*credentials.settled(), Security::secret);
  credentials.security = Security::tls;
  EXPECT_EQ(*credentials.settled(), Security::tls);
  credentials.secret.reset();
  EXPECT_THAT(credentials.settled().error().text(), HasSubstr("MUSTER_SECRET_FILE"));
  credentials.security = Security::secret;
  EXPECT_THAT(credentials.settled().error().text(), HasSubstr("no secret was given"));
  credentials.certificates = Certificates{};
  credentials.security = Security::automatic;
  EXPECT_EQ(*credentials.settled(), Security::tls);
  credentials.security = Security::none;
  EXPECT_THAT(credentials.settled().error().text(), HasSubstr("certificates were given"));
  credentials.secret = Secret::random();
  EXPECT_THAT(credentials.settled().error().text(), HasSubstr("both a secret and certificates"));
}

class CredentialsEnvironment : public ::testing::Test {
 protected:
  static constexpr const char* names[] = {
      "MUSTER_SECURITY", "MUSTER_SECRET",  "MUSTER_SECRET_FD", "MUSTER_SECRET_FILE",
      "MUSTER_TLS_CERT", "MUSTER_TLS_KEY", "MUSTER_TLS_CA"};
  CredentialsEnvironment() { clear(); }
  ~CredentialsEnvironment() override { clear(); }
  static void clear() {
    for (const char* each : names) ::unsetenv(each);
  }
  static std::string error() { return Credentials::from_environment().error().text(); }
};

TEST_F(CredentialsEnvironment, IsEmpty) {
  const auto credentials = Credentials::from_environment();
  ASSERT_TRUE(credentials);
  EXPECT_FALSE(credentials->secret || credentials->certificates);
  EXPECT_EQ(credentials->security, Security::automatic);
}

TEST_F(CredentialsEnvironment, ReadsOneSecret) {
  ::setenv("MUSTER_SECRET", good.c_str(), 1);
  ::setenv("MUSTER_SECURITY", "tls", 1);
  const auto credentials = Credentials::from_environment();
  ASSERT_TRUE(credentials) << credentials.error().text();
  EXPECT_EQ(as_text(credentials->secret->bytes()), good);
  EXPECT_EQ(credentials->security, Security::tls);
  ::setenv("MUSTER_SECRET_FILE", "/x", 1);
  EXPECT_THAT(error(), AllOf(HasSubstr("MUSTER_SECRET_FILE"), HasSubstr("MUSTER_SECRET"),
                             HasSubstr("both"), Not(HasSubstr(good))));
}

TEST_F(CredentialsEnvironment, NamesTheVariable) {
  ::setenv("MUSTER_SECURITY", "maximum", 1);
  EXPECT_THAT(error(), AllOf(HasSubstr("MUSTER_SECURITY"), HasSubstr("maximum")));
  clear();
  ::setenv("MUSTER_SECRET", "abc", 1);
  EXPECT_THAT(error(), AllOf(HasSubstr("MUSTER_SECRET"), HasSubstr("3 bytes")));
  clear();
  ::setenv("MUSTER_SECRET_FD", "x7", 1);
  EXPECT_THAT(error(), AllOf(HasSubstr("MUSTER_SECRET_FD"), HasSubstr("x7")));
  clear();
  ::setenv("MUSTER_TLS_CERT", "/cert.pem", 1);
  EXPECT_THAT(error(), HasSubstr("MUSTER_TLS_KEY is not set"));
}

TEST(SecurityName, GoesBothWays) {
  for (const Security each :
       {Security::automatic, Security::none, Security::secret, Security::tls}) {
    EXPECT_EQ(*parse_security(name(each)), each);
  }
  EXPECT_FALSE(parse_security("TLS"));
}

}  // namespace
}  // namespace muster
