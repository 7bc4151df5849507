/// \file
/// Requests that name several keys, and their answers. As in store_messages.hpp: bodies only, keys
/// and values borrowed, shape checked and limits not, but for the number of keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>

namespace muster::wire {

/// At most limits::keys_a_request_max keys each; a decoder refuses more.
struct WaitRequest {  ///< u32 milliseconds to wait, u32 keys, texts. Answer: empty
  std::uint32_t wait_ms = 0;
  std::vector<std::string_view> keys;
};
struct MultiGetRequest {  ///< u32 keys, texts
  std::vector<std::string_view> keys;
};
struct MultiGetAnswer {  ///< u32 values, each: u8 there, value (empty if absent)
  std::vector<std::optional<Bytes>> values;
};
struct MultiSetRequest {  ///< u32 entries, each: text key, value. Answer: empty
  struct Entry {
    std::string_view key;
    Bytes value;
  };
  std::vector<Entry> entries;
};

void encode(const WaitRequest& request, Value& out);
void encode(const MultiGetRequest& request, Value& out);
void encode(const MultiGetAnswer& answer, Value& out);
void encode(const MultiSetRequest& request, Value& out);

std::optional<WaitRequest> decode_wait(Bytes body);
std::optional<MultiGetRequest> decode_multi_get(Bytes body);
std::optional<MultiGetAnswer> decode_multi_get_answer(Bytes body);
std::optional<MultiSetRequest> decode_multi_set(Bytes body);

}  // namespace muster::wire
