#include "server/core/first_bytes.hpp"

#include <string_view>

namespace muster::server {

bool first_is_tls(Bytes first) {
  using std::literals::operator""sv;
  return as_text(first).starts_with("\x16\x03"sv);
}

const char* likeness(Bytes first) {
  using std::literals::operator""sv;
  const std::string_view text = as_text(first);
  for (const std::string_view verb : {"GET "sv, "POST"sv, "HEAD"sv, "PUT "sv, "OPTI"sv, "CONN"sv}) {
    if (text.starts_with(verb)) return "an HTTP request";
  }
  if (text.starts_with("PRI "sv)) return "an HTTP/2 preface";
  if (first_is_tls(first)) return "a TLS hello";
  if (text.starts_with("SSH-"sv)) return "an SSH client";
  return "noise";
}

}  // namespace muster::server
