/// \file
/// Requests to the table and their answers. Bodies only; frame.hpp has the header. Decoded keys and
/// values are borrowed from the body. A decoder returns nothing for a body that is not exactly one
/// message; it checks shape, not limits such as the length of a key, so that the server can answer
/// those by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <muster/bytes.hpp>

namespace muster::wire {

struct SetRequest {  ///< also SET_OWNED: text key, rest: value. Answer: empty
  std::string_view key;
  Bytes value;
};
struct GetRequest {  ///< text key, u32 milliseconds to wait, 0 for not at all. Answer: the value
  std::string_view key;
  std::uint32_t wait_ms = 0;
};
struct AddRequest {  ///< text key, i64. Answer: i64
  std::string_view key;
  std::int64_t delta = 0;
};
struct RemoveRequest {  ///< text key. Answer: u8, 1 if it was there
  std::string_view key;
};
struct AppendRequest {  ///< text key, rest: value. Answer: u64, the new length
  std::string_view key;
  Bytes value;
};
struct CompareSetRequest {  ///< text key, u8 has expected, value expected (empty if none), rest
  std::string_view key;
  std::optional<Bytes> expected;  ///< none: the key must be absent
  Bytes desired;
};
struct CompareSetAnswer {  ///< u8 swapped, u8 was there, rest: the value before (empty if absent)
  bool swapped = false;
  std::optional<Bytes> before;
};

void encode(const SetRequest& request, Value& out);
void encode(const GetRequest& request, Value& out);
void encode(const AddRequest& request, Value& out);
void encode(const RemoveRequest& request, Value& out);
void encode(const AppendRequest& request, Value& out);
void encode(const CompareSetRequest& request, Value& out);
void encode(const CompareSetAnswer& answer, Value& out);

std::optional<SetRequest> decode_set(Bytes body);
std::optional<GetRequest> decode_get(Bytes body);
std::optional<AddRequest> decode_add(Bytes body);
std::optional<RemoveRequest> decode_remove(Bytes body);
std::optional<AppendRequest> decode_append(Bytes body);
std::optional<CompareSetRequest> decode_compare_set(Bytes body);
std::optional<CompareSetAnswer> decode_compare_set_answer(Bytes body);

}  // namespace muster::wire
