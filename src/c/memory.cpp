#include "c/memory.hpp"

#include <cstring>
#include <memory>
#include <new>

#include "c/handles.hpp"

namespace muster::c {

muster_buffer to_buffer(Bytes bytes) {
  char* data = static_cast<char*>(::operator new(bytes.size() + 1));
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  data[bytes.size()] = '\0';
  return {data, bytes.size()};
}

muster_parts* to_parts(Parts parts) {
  return std::make_unique<muster_parts>(muster_parts{std::move(parts)}).release();
}

muster_bytes to_bytes(Bytes bytes) {
  if (bytes.empty()) return {"", 0};
  return {bytes.data(), bytes.size()};
}

}  // namespace muster::c

void muster_free(void* data) {
  ::operator delete(data);
}

size_t muster_parts_count(const muster_parts* parts) {
  return parts != nullptr ? parts->parts.size() : 0;
}

muster_bytes muster_parts_get(const muster_parts* parts, size_t index) {
  if (index >= muster_parts_count(parts)) return {nullptr, 0};
  if (!parts->absent.empty() && parts->absent[index]) return {nullptr, 0};
  return muster::c::to_bytes(parts->parts[index]);
}

void muster_parts_free(muster_parts* parts) {
  const std::unique_ptr<muster_parts> freed(parts);
}
