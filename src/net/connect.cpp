#include "net/connect.hpp"

#include <fmt/format.h>

#include "net/race.hpp"
#include "net/resolve.hpp"

namespace muster::net {

Result<Fd> connect(const Url& url, BackOff& back_off, TimePoint deadline) {
  if (url.scheme != Url::Scheme::unix_socket && url.port == 0) {
    return Error{.code = Code::invalid_argument,
                 .phase = Phase::connect,
                 .what = fmt::format("cannot connect to {}: port 0 is for who serves", url.text()),
                 .advice = "give the port that the server has picked"};
  }
  Result<std::vector<Address>> addresses = resolve(url, deadline);
  if (!addresses) return std::move(addresses).error();
  return connect(url, *std::move(addresses), back_off, deadline);
}

Result<Fd> connect(const Url& url, std::vector<Address> addresses, BackOff& back_off,
                   TimePoint deadline) {
  return Race(url, std::move(addresses)).run(back_off, deadline);
}

}  // namespace muster::net
