/// \file
/// Files that hold a secret: read only if nobody else could have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

namespace muster {

/// What the file holds, less one newline at its end. `what` names it in errors: "the secret's
/// file". Errors: `system` if it can't be read; `invalid_argument` if it is no regular file, others
/// than its owner may read or change it, it belongs to neither this user nor root, or it holds more
/// than `bytes_max`. Errors never show what it holds.
Result<Value> read_private_file(const std::string& path, std::string_view what,
                                std::size_t bytes_max);

/// The same of a file that everybody may read.
Result<Value> read_file(const std::string& path, std::string_view what, std::size_t bytes_max);

/// The same of a descriptor, up to its end and whatever it is; closes it.
Result<Value> read_private_fd(int fd, std::string_view what, std::size_t bytes_max);

}  // namespace muster
