/// \file
/// A certificate authority for tests: what it issues lies in files, as for real jobs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <muster/security.hpp>

#include "support/temp_dir.hpp"

namespace muster::support {

/// Resource. Fails the test's process if OpenSSL does not do what is asked.
class TestCa {
 public:
  explicit TestCa(const std::string& name = "test CA");
  ~TestCa();
  TestCa(const TestCa&) = delete;

  /// Value. What a certificate says; times are seconds from now.
  struct Leaf {
    std::string name = "rank";
    std::vector<std::string> jobs;
    long valid_from_s = -3600;
    long valid_until_s = 3600;
    bool revoked = false;
    bool signed_by_itself = false;
    std::string password;  ///< encrypts the key
  };
  /// Its files, with this CA's; the list of what is revoked is named if anything is so far.
  Certificates issue(const Leaf& leaf);
  /// A list of all that is revoked.
  std::string crl_file();

 private:
  struct State;
  std::string path(const std::string& name) const { return directory_.file(name); }

  TempDir directory_;
  std::unique_ptr<State> state_;
};

}  // namespace muster::support
