/// \file
/// Requests that speak of all keys of a prefix, and what they are answered. As in
/// store_messages.hpp: bodies only, keys and values borrowed, shape checked and limits not.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>

namespace muster::wire {

struct ListRequest {  ///< text prefix, text after, u32 keys at most
  std::string_view prefix;
  std::string_view after;
  std::uint32_t keys_max = 0;
};
struct ListAnswer {  ///< u8 more, u32 keys, texts; at most limits::listed_keys_max
  bool more = false;
  std::vector<std::string_view> keys;
};
/// The watch is named by the request's sequence number. Answer: empty; from then on CHANGED frames
/// with that number.
struct WatchRequest {  ///< text prefix
  std::string_view prefix;
};
struct UnwatchRequest {  ///< u32 watch. Answer: empty
  std::uint32_t watch = 0;
};
struct Changed {  ///< u8 there, text key, rest: the value (empty if it is there no more)
  std::string_view key;
  std::optional<Bytes> value;
};

void encode(const ListRequest& request, Value& out);
void encode(const ListAnswer& answer, Value& out);
void encode(const WatchRequest& request, Value& out);
void encode(const UnwatchRequest& request, Value& out);
void encode(const Changed& changed, Value& out);

std::optional<ListRequest> decode_list(Bytes body);
std::optional<ListAnswer> decode_list_answer(Bytes body);
std::optional<WatchRequest> decode_watch(Bytes body);
std::optional<UnwatchRequest> decode_unwatch(Bytes body);
std::optional<Changed> decode_changed(Bytes body);

}  // namespace muster::wire
