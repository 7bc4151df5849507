/// \file
/// Each documented variable with values that make no sense, and what is to be said of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/test_ca.hpp"

namespace muster::cli {

using Variables = std::map<std::string, std::string>;

struct Wrong {
  std::string value;
  std::string expected;  ///< what the error says instead
};

/// Value. A variable, and a command that reads it.
struct Row {
  const char* variable;
  const char* command;
  Variables around;  ///< what else is set
  std::vector<Wrong> wrong;
  const char* expected_of_long = nullptr;  ///< of a text of 100,000 bytes; null: wrong's first
  bool is_secret = false;
  int exit_code = 2;
};

/// In values `$home` is the test's folder, where the file `password` holds "not to be guessed".
std::vector<Row> of_joining();
std::vector<Row> of_secrets();
std::vector<Row> of_certificates(support::TestCa& ca);
std::vector<Row> of_unique_ids();
std::vector<Row> of_launchers();
std::vector<Row> of_folders();

}  // namespace muster::cli
