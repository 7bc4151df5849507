#include "server/driver/timer.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

namespace muster::server {

UvHandle<uv_timer_t> make_timer(uv_loop_t* loop, void* data) {
  auto timer = std::make_unique<uv_timer_t>();
  uv_timer_init(loop, timer.get());
  timer->data = data;
  return UvHandle<uv_timer_t>(timer.release());
}

void start_timer(uv_timer_t* timer, uv_timer_cb then, Duration after) {
  using std::chrono::milliseconds;
  const auto whole = std::chrono::ceil<milliseconds>(std::max(after, Duration::zero()));
  // Timers count from the loop's idea of now, which is as old as the events at hand.
  uv_update_time(timer->loop);
  uv_timer_start(timer, then, static_cast<std::uint64_t>(whole.count()), 0);
}

}  // namespace muster::server
