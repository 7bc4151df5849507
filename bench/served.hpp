/// \file
/// A server in a process of its own.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

#include "crew.hpp"
#include "patterns.hpp"
#include "side.hpp"

namespace muster::bench {

/// Resource.
struct Pipe {
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int ends[2];
};

/// Resource. Listens once it is made; on core 0 if `pinned`.
class Served {
 public:
  Served(Side& side, const Scale& scale, std::uint32_t size, bool pinned = false);

  const std::string& address() const { return address_; }
  pid_t pid() const { return crew_.pid(0); }

 private:
  Pipe pipe_;  ///< stands before the crew, which writes to it
  Crew crew_;
  std::string address_;
};

}  // namespace muster::bench
