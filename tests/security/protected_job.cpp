#include "protected_job.hpp"

#include "job/protect.hpp"
#include "net/wait.hpp"

namespace muster::security_test {

using namespace std::chrono_literals;

Credentials by_tls(const Secret& secret) {
  Credentials credentials;
  credentials.security = Security::tls;
  credentials.secret = secret;
  return credentials;
}

Credentials by_secret(const Secret& secret) {
  Credentials credentials;
  credentials.secret = secret;
  return credentials;
}

Credentials by(Certificates files) {
  Credentials credentials;
  credentials.certificates = std::move(files);
  return credentials;
}

ProtectedJob::ProtectedJob(const Credentials& credentials, const std::string& job,
                           const std::string& url) {
  server::ServeOptions serving;
  serving.url = net::Url::parse(url).value();
  serving.core.job = job;
  serving.core.incarnation = Incarnation::random();
  serving.core.size = 2;
  serving.log = [log = log_](LogLevel, std::string_view line) {
    const std::lock_guard lock(log->mutex);
    log->text += std::string(line) + "\n";
  };
  protect(serving, credentials).value();
  server_ = server::Server::start(std::move(serving)).value();
}

std::string ProtectedJob::log() const {
  const std::lock_guard lock(log_->mutex);
  return log_->text;
}

bool ProtectedJob::logs(const std::string& text) const {
  for (const TimePoint end = Clock::now() + 60s; Clock::now() < end;) {
    if (log().find(text) != std::string::npos) return true;
    net::pause_until(Clock::now() + 2ms);
  }
  return false;
}

Result<Job> ProtectedJob::join(const std::string& url, Credentials credentials,
                               const std::string& job, Duration time) {
  JoinOptions options;
  options.url = url;
  options.rank = 0;
  options.size = 2;
  options.serve = Serve::external;
  options.until = Until::admitted;
  options.job_id = job;
  options.join_timeout = time;
  options.credentials = std::move(credentials);
  options.log = [](LogLevel, std::string_view) {};
  return Job::join(std::move(options));
}

}  // namespace muster::security_test
