/// \file
/// A served job of two ranks under some protection, and what comes to it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <muster/job.hpp>

#include "server/driver/server.hpp"

namespace muster::security_test {

Credentials by_tls(const Secret& secret);
Credentials by_secret(const Secret& secret);
Credentials by(Certificates files);

/// Resource. Served at a TCP port, or a Unix socket's path.
class ProtectedJob {
 public:
  explicit ProtectedJob(const Credentials& credentials, const std::string& job = "demo",
                        const std::string& url = "tcp://127.0.0.1:0");

  std::string url() const { return server_->url(); }
  JobStatus status() { return server_->status(); }
  /// What the server has logged so far.
  std::string log() const;
  /// Once the log holds `text`; false if it does not in time.
  bool logs(const std::string& text) const;

  /// Rank 0 of the job, which does not wait for rank 1.
  static Result<Job> join(const std::string& url, Credentials credentials,
                          const std::string& job = "", Duration time = std::chrono::seconds{20});

 private:
  struct Log {
    std::mutex mutex;
    std::string text;
  };
  std::shared_ptr<Log> log_ = std::make_shared<Log>();
  std::unique_ptr<server::Server> server_;
};

/// The error's text, or a text that says that there is none.
template <class T>
std::string text_of(const Result<T>& result) {
  return result ? "no error" : result.error().text();
}

}  // namespace muster::security_test
