#include "client/core/version0_handshake.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace muster::client {

Version0Handshake::State Version0Handshake::feed(Bytes bytes, std::size_t& used) {
  used = std::min(bytes.size(), wire::v0::hello_answer_bytes - seen_.size());
  seen_.insert(seen_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(used));
  if (seen_.size() < wire::v0::hello_answer_bytes) return State::more;
  if (wire::v0::is_admission(seen_)) return State::welcomed;
  error_ =
      Error{.code = Code::protocol,
            .phase = Phase::hello,
            .what = fmt::format("the peer is no server of version 0: it answers the hello with "
                                "{}, where two zero bytes are expected",
                                quoted(as_text(seen_))),
            .advice = "check the address, and whether ?wire=0 belongs there"};
  return State::failed;
}

}  // namespace muster::client
