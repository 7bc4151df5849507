#include <utility>

#include <muster/group.hpp>

namespace muster {

Result<void> Group::barrier(std::string_view label, Deadline deadline) {
  auto parts = arrive({.kind = Kind::barrier, .label = label}, deadline);
  if (!parts) return std::move(parts).error();
  return {};
}

Result<Value> Group::broadcast(Bytes payload, std::uint32_t root, std::string_view label,
                               Deadline deadline) {
  if (rank() != root) payload = {};
  auto parts = arrive({Kind::broadcast, label, payload, root}, deadline);
  if (!parts) return std::move(parts).error();
  return (*std::move(parts)).take_single();
}

Result<Parts> Group::gather(Bytes payload, std::uint32_t root, std::string_view label,
                            Deadline deadline) {
  return arrive({Kind::gather, label, payload, root}, deadline);
}

Result<Value> Group::scatter(std::span<const Bytes> payloads, std::uint32_t root,
                             std::string_view label, Deadline deadline) {
  if (rank() != root) payloads = {};
  auto parts =
      arrive({.kind = Kind::scatter, .label = label, .root = root, .payloads = payloads}, deadline);
  if (!parts) return std::move(parts).error();
  return (*std::move(parts)).take_single();
}

Result<Parts> Group::allgather(Bytes payload, std::string_view label, Deadline deadline) {
  return arrive({Kind::allgather, label, payload}, deadline);
}

Result<Parts> Group::allgatherv(Bytes payload, std::string_view label, Deadline deadline) {
  return arrive({Kind::allgatherv, label, payload}, deadline);
}

Result<Parts> Group::alltoall(std::span<const Bytes> payloads, std::string_view label,
                              Deadline deadline) {
  return arrive({.kind = Kind::alltoall, .label = label, .payloads = payloads}, deadline);
}

Result<Parts> Group::exchange(std::string_view phase, const Digest& token, Bytes payload,
                              Deadline deadline) {
  return arrive({Kind::exchange, phase, payload, 0, token}, deadline);
}

}  // namespace muster
