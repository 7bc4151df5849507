/// \file
/// What may sit at an address instead of a Muster server, each in a process of its own.
#pragma once

#include <string>
#include <string_view>

#include "support/process.hpp"

namespace muster::support {

/// Resource. Listens on a loopback port until it goes.
class BadPeer {
 public:
  enum class Kind {
    silent,  ///< accepts, reads, says nothing
    echo,    ///< sends back what comes
    web,     ///< answers the first bytes with an HTTP error, and closes
    closes,  ///< accepts and closes at once
    resets,  ///< accepts and resets at once
    says,    ///< says its line as soon as somebody connects, then keeps silent
  };

  explicit BadPeer(Kind kind, std::string_view line = {});

  const std::string& url() const { return url_; }
  Process& process() { return process_; }

 private:
  std::string url_;
  Process process_;
};

}  // namespace muster::support
