/// \file
/// Where this build's tree and binaries are. One file knows, so that every other test compiles to
/// the same bytes wherever the tree lies.
#pragma once

#include <string>

namespace muster::paths {

/// The tree that was built, as "<root>/tests/x" is asked for.
std::string source(const std::string& relative);
/// A program of this build.
std::string program(const std::string& name);

}  // namespace muster::paths
