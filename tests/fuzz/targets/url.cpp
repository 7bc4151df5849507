// URLs, as users write them. What is taken is written in one form, which is taken for the same.

#include "net/url.hpp"

#include "fuzz/target.hpp"

using namespace muster;

MUSTER_FUZZ_TARGET(url) {
  const auto url = net::Url::parse(as_text(input));
  if (!url) {
    MUSTER_ASSERT(url.error().code == Code::invalid_argument && !url.error().text().empty());
    return;
  }
  MUSTER_ASSERT(url->path.size() <= net::unix_path_bytes_max);
  const auto again = net::Url::parse(url->text());
  MUSTER_ASSERT(again.ok() && *again == *url);
  const auto store = net::Url::parse_for_store(as_text(input));
  MUSTER_ASSERT(store.ok() && *store == *url);
}
