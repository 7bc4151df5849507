// A unique id, as its text and as its bytes; and its bytes with their check value put right.

#include <muster/digest.hpp>
#include <muster/unique_id.hpp>

#include "fuzz/target.hpp"
#include "net/url.hpp"

using namespace muster;

namespace {

void check(const Result<UniqueId>& id) {
  if (!id) {
    MUSTER_ASSERT(id.error().code == Code::invalid_argument);
    MUSTER_ASSERT(id.error().text().find("muster1:4") == std::string::npos);
    return;
  }
  const net::Url url = net::Url::parse(id->url()).value();
  MUSTER_ASSERT(url.text() == id->url());
  MUSTER_ASSERT(UniqueId::parse(id->text())->text() == id->text());
  MUSTER_ASSERT(UniqueId::from_bytes(id->bytes())->bytes() == id->bytes());
}

}  // namespace

MUSTER_FUZZ_TARGET(unique_id) {
  check(UniqueId::parse(as_text(input)));
  check(UniqueId::from_bytes(input));
  if (input.size() < 4 || input.size() > UniqueId::bytes_size) return;
  Value mended = to_value(input);
  const Bytes body = Bytes(mended).first(mended.size() - 4);
  const Digest digest = sha256(body);
  std::copy_n(digest.begin(), 4, mended.end() - 4);
  check(UniqueId::from_bytes(mended));
}
