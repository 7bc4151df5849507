#include "server/core/version0.hpp"

#include <fmt/format.h>
#include <utility>
#include <variant>

#include "base/limits.hpp"
#include "wire/v0.hpp"
#include "wire/v0_requests.hpp"

namespace muster::server {
namespace {

void settle_expectation(wire::v0::Request& request, const Table& table) {
  auto* swap = std::get_if<wire::CompareSetRequest>(&request);
  if (swap == nullptr || swap->expected) return;
  const auto found = table.get(swap->key);
  if (found && *found != nullptr) swap->expected = Bytes{};
}

}  // namespace

Result<Version0Request> read_version0(const wire::FrameHeader& header, Bytes body,
                                      const Table& table) {
  const auto type = static_cast<std::uint16_t>(header.type);
  if (type != wire::v0::frame_type) {
    return Error{.code = Code::protocol,
                 .what = fmt::format("invalid frame: its type is {}, expected 0", type)};
  }
  auto request = wire::v0::unpack_request(body);
  if (!request) return std::move(request).error();
  settle_expectation(*request, table);
  Version0Request asked{wire::v0::type_of(*request), {}};
  std::visit([&](const auto& message) { wire::encode(message, asked.body); }, *request);
  return asked;
}

Error version0_oversized(const wire::FrameHeader& header) {
  return Error{.code = Code::protocol,
               .what = fmt::format("invalid frame: its body has {} bytes, at most {} are taken",
                                   header.length, limits::v0_frame_body_bytes_max)};
}

}  // namespace muster::server
