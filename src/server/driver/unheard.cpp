#include "server/driver/unheard.hpp"

#include <memory>
#include <utility>

namespace muster::server {

Unheard::Unheard(uv_loop_t* loop, std::function<void(LinkId)> hear) : hear_(std::move(hear)) {
  auto idle = std::make_unique<uv_idle_t>();
  uv_idle_init(loop, idle.get());
  idle->data = this;
  idle_.reset(idle.release());
}

void Unheard::add(LinkId link) {
  links_.push_back(link);
  uv_idle_start(idle_.get(),
                [](uv_idle_t* handle) { static_cast<Unheard*>(handle->data)->turn(); });
}

void Unheard::turn() {
  for (const LinkId link : std::exchange(links_, {})) hear_(link);
  if (links_.empty()) uv_idle_stop(idle_.get());
}

}  // namespace muster::server
