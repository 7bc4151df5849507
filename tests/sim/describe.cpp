#include "describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "base/text.hpp"
#include "wire/notices.hpp"
#include "wire/round_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster::sim {
namespace {

std::string names(const std::vector<RankName>& who) {
  std::vector<std::uint32_t> ranks;
  for (const RankName& each : who) ranks.push_back(each.rank);
  return ranks.empty() ? "" : fmt::format(", ranks {}", fmt::join(ranks, ", "));
}

}  // namespace

std::string describe_type(wire::Type type) {
  switch (type) {
    case wire::Type::set:
      return "set";
    case wire::Type::get:
      return "get";
    case wire::Type::add:
      return "add";
    case wire::Type::remove:
      return "remove";
    case wire::Type::append:
      return "append";
    case wire::Type::compare_set:
      return "compare_set";
    case wire::Type::watch:
      return "watch";
    case wire::Type::changed:
      return "changed";
    case wire::Type::arrive:
      return "arrive";
    case wire::Type::status:
      return "status";
    case wire::Type::fail:
      return "fail";
    case wire::Type::leave:
      return "leave";
    case wire::Type::open_group:
      return "open group";
    case wire::Type::close_group:
      return "close group";
    case wire::Type::mustered:
      return "mustered";
    case wire::Type::doomed:
      return "doomed";
    case wire::Type::server_leaving:
      return "server leaving";
    case wire::Type::welcome:
      return "welcome";
    case wire::Type::refused:
      return "refused";
    default:
      return fmt::format("message of type {}", static_cast<unsigned>(type));
  }
}

std::string describe_request(const wire::FrameHeader& header, Bytes body) {
  if (header.type == wire::Type::arrive) {
    if (const auto arrive = wire::decode_arrive(body)) {
      return fmt::format("arrive in round {} of group {:x}: {} {}, {} ms left", arrive->sequence,
                         arrive->group, name(arrive->kind), quoted(arrive->label), arrive->left_ms);
    }
  }
  if (header.type == wire::Type::get) {
    if (const auto get = wire::decode_get(body)) {
      return fmt::format("get {}, waiting {} ms", quoted(get->key), get->wait_ms);
    }
  }
  if (header.type == wire::Type::leave) {
    if (const auto leave = wire::decode_leave(body)) {
      return fmt::format("leave, waiting {} ms", leave->wait_ms);
    }
  }
  return describe_type(header.type);
}

std::string describe_reply(const wire::FrameHeader& header, Bytes body) {
  const bool bad_news = header.type == wire::Type::doomed || header.type == wire::Type::refused ||
                        header.type == wire::Type::server_leaving;
  if (header.result != 0 || bad_news) {
    return fmt::format("{}: {}", describe_type(header.type), describe_failure(body));
  }
  return fmt::format("{} ok, {} bytes", describe_type(header.type), body.size());
}

std::string describe_failure(Bytes body) {
  const auto failure = wire::decode_failure(body);
  if (!failure) return "a malformed failure";
  return fmt::format("{}{}: {}", name(failure->code), names(failure->who), failure->reason);
}

std::string describe_verdict(std::int16_t result, Bytes body) {
  return result == 0 ? fmt::format("ok ({} bytes)", body.size()) : describe_failure(body);
}

std::string describe(const Error& error) {
  return fmt::format("{}{}: {}", name(error.code), names(error.ranks), error.what);
}

}  // namespace muster::sim
