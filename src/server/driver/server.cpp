#include "server/driver/server.hpp"

#include "server/driver/uv_server.hpp"

namespace muster::server {

Result<std::unique_ptr<Server>> Server::start(ServeOptions options) {
  auto server = std::make_unique<UvServer>(std::move(options));
  if (Result<void> started = server->start(); !started) return std::move(started).error();
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace muster::server
