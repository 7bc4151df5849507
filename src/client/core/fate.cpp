#include "client/core/fate.hpp"

#include <utility>

namespace muster::client {

bool Fate::go_down(Error why) {
  if (down_) return false;
  tell(Failure{.code = why.code,
               .reason = why.what,
               .advice = why.advice,
               .who = why.ranks,
               .exit_code = why.exit_code});
  down_ = std::move(why);
  return true;
}

void Fate::announce(Failure failure) {
  if (!announced_) announced_ = failure;
  tell(std::move(failure));
}

std::optional<Failure> Fate::take_news() {
  return std::exchange(news_, std::nullopt);
}

void Fate::tell(Failure failure) {
  if (!std::exchange(told_, true)) news_ = std::move(failure);
}

}  // namespace muster::client
