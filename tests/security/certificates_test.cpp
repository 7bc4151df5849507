// Jobs by certificates: who is taken, and what is said of those that are not.
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "protected_job.hpp"
#include "support/test_ca.hpp"

namespace muster::security_test {
namespace {

using support::TestCa;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CertificateJob : public testing::Test {
 protected:
  auto join(Certificates files, const std::string& job = "demo") {
    return ProtectedJob::join(served_.url(), by(std::move(files)), job);
  }
  TestCa ca_;
  ProtectedJob served_{by(ca_.issue({.name = "server", .jobs = {"demo"}}))};
};

TEST_F(CertificateJob, TakesThoseOfItsCa) {
  EXPECT_TRUE(query_status(served_.url(), {}, by(ca_.issue({.name = "any"}))));
  const auto job = join(ca_.issue({.name = "ours", .jobs = {"other", "demo"}}), "");
  EXPECT_TRUE(job) << job.error().text();
}

TEST_F(CertificateJob, OneOfAnotherJobIsStoppedWhereItIs) {
  const auto job = join(ca_.issue({.name = "red", .jobs = {"red"}}));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, Code::invalid_argument);
  EXPECT_THAT(job.error().text(), AllOf(HasSubstr("certificate 'CN = red' in"),
                                        HasSubstr("is for job red, this is job demo")));
}

TEST_F(CertificateJob, OneOfAnotherJobIsRefusedByBothSides) {
  // Its owner does not say its job, and so takes itself for one of red.
  const auto job = join(ca_.issue({.name = "red", .jobs = {"red"}}), "");
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().text(), HasSubstr("'CN = server' is for job demo, this is job red"));
}

TEST_F(CertificateJob, AnotherCaIsNotTrusted) {
  TestCa other("other CA");
  Certificates files = other.issue({.name = "stranger"});
  const auto joined = join(files);
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, Code::refused);
  EXPECT_THAT(joined.error().text(), HasSubstr("certificate 'CN = server': unable to get local"));
}

TEST_F(CertificateJob, WhoTrustsTheServerIsStillLookedAt) {
  const Certificates good = ca_.issue({.name = "good"});
  // Only the server knows that it is revoked: its list is newer.
  Certificates revoked = ca_.issue({.name = "gone", .revoked = true});
  Certificates server_files = ca_.issue({.name = "server"});
  ProtectedJob served(by(server_files));
  revoked.crl_file.clear();
  const auto joined = ProtectedJob::join(served.url(), by(revoked), "demo");
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, Code::refused);
  EXPECT_THAT(joined.error().text(), HasSubstr("it does not take our certificate"));
  EXPECT_TRUE(served.logs("certificate 'CN = gone': certificate revoked")) << served.log();
  EXPECT_TRUE(ProtectedJob::join(served.url(), by(good), "demo"));
}

TEST_F(CertificateJob, ASecretIsNoCertificate) {
  const auto keyed = ProtectedJob::join(served_.url(), by_tls(Secret::random()));
  ASSERT_FALSE(keyed);
  EXPECT_EQ(keyed.error().code, Code::refused);
  EXPECT_THAT(keyed.error().text(), HasSubstr("shows a certificate, and we have a secret"));
  ProtectedJob by_key(by_tls(Secret::random()));
  const auto certified = ProtectedJob::join(by_key.url(), by(ca_.issue({})));
  ASSERT_FALSE(certified);
  EXPECT_EQ(certified.error().code, Code::refused);
  EXPECT_THAT(certified.error().text(), HasSubstr("it has no certificate to show"));
}

/// What is wrong with files is said before anything listens or connects.
class CertificateFiles : public testing::Test {
 protected:
  std::string trouble(const Certificates& files) {
    const auto joined = ProtectedJob::join("tcp://127.0.0.1:1", by(files), "demo");
    EXPECT_FALSE(joined);
    EXPECT_NE(joined.error().code, Code::unreachable) << joined.error().text();
    return joined.error().text();
  }
  TestCa ca_;
};

TEST_F(CertificateFiles, OnesThatNobodyWouldTakeAreNamed) {
  EXPECT_THAT(trouble(ca_.issue({.valid_until_s = -60})), HasSubstr("certificate has expired"));
  EXPECT_THAT(trouble(ca_.issue({.valid_from_s = 600})), HasSubstr("certificate is not yet valid"));
  EXPECT_THAT(trouble(ca_.issue({.signed_by_itself = true})), HasSubstr("self-signed"));
  const Certificates revoked = ca_.issue({.revoked = true});
  EXPECT_THAT(trouble(revoked),
              AllOf(HasSubstr("certificate revoked"), HasSubstr(revoked.certificate_file),
                    HasSubstr(revoked.crl_file)));
}

TEST_F(CertificateFiles, AreThereAndPrivate) {
  const Certificates good = ca_.issue({});
  const auto with = [&](std::string Certificates::*file, std::string path) {
    Certificates files = good;
    files.*file = std::move(path);
    return trouble(files);
  };
  for (const auto file : {&Certificates::certificate_file, &Certificates::key_file,
                          &Certificates::ca_file, &Certificates::crl_file}) {
    EXPECT_THAT(with(file, "/nowhere/x.pem"), HasSubstr("'/nowhere/x.pem': No such file"));
  }
  EXPECT_THAT(with(&Certificates::key_file, ca_.issue({}).key_file),
              HasSubstr("is not that of the certificate in"));
  EXPECT_THAT(with(&Certificates::ca_file, good.key_file), HasSubstr("holds none in PEM"));
  EXPECT_THAT(with(&Certificates::key_file, good.certificate_file), HasSubstr("mode"));
  ::chmod(good.key_file.c_str(), 0640);
  EXPECT_THAT(trouble(good), HasSubstr("has mode 0640"));
}

TEST_F(CertificateFiles, AnEncryptedKeyNeedsItsPassword) {
  Certificates files = ca_.issue({.password = "open sesame"});
  EXPECT_THAT(trouble(files), HasSubstr("is encrypted, and no password was given"));
  files.key_password = [] { return Result<std::string>(std::string("sesame?")); };
  EXPECT_THAT(trouble(files), AllOf(HasSubstr("is not that of the key"), Not(HasSubstr("sesame"))));
  files.key_password = [] {
    return Result<std::string>(Error{.code = Code::system, .what = "nobody is asked"});
  };
  EXPECT_THAT(trouble(files), HasSubstr("nobody is asked"));
  ProtectedJob served(by(ca_.issue({})));
  files.key_password = [] { return Result<std::string>(std::string("open sesame")); };
  const auto joined = ProtectedJob::join(served.url(), by(files), "demo");
  EXPECT_TRUE(joined) << joined.error().text();
}

}  // namespace
}  // namespace muster::security_test
