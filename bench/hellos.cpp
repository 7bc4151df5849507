#include "hellos.hpp"

#include "client/core/caller.hpp"
#include "wire/hello.hpp"

namespace muster::bench {

Value muster_hello(std::uint32_t rank, std::uint32_t size) {
  wire::ClientHello hello{.size = size, .pid = 4711, .left_ms = 60'000, .host = "bench"};
  hello.ranks.push_back({rank, 1});
  return wire::encode(hello);
}

std::size_t released_bytes() {
  const Value welcome = client::frame(wire::Type::welcome, wire::Welcome{});
  return wire::encode(wire::ServerHello{.job = job_name}).size() + welcome.size() +
         wire::header_bytes;
}

}  // namespace muster::bench
