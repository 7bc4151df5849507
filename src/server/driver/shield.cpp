#include "server/driver/shield.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

namespace muster::server {
namespace {

/// What a TLS record carries at most.
constexpr std::size_t record_bytes = 16U << 10;
/// So much is sealed before it is written: the rest waits in the outbox, where bodies are shared.
constexpr std::size_t sealed_bytes_max = 64U << 10;

/// Copies the next bytes of `outbox`, so that many small answers share a record.
std::size_t gather(const Outbox& outbox, std::span<std::byte> into) {
  Outbox::Slices slices;
  std::size_t size = 0;
  for (std::size_t i = 0, n = outbox.slices(slices); i < n && size < into.size(); ++i) {
    const std::size_t part = std::min(slices[i].iov_len, into.size() - size);
    std::memcpy(into.data() + size, slices[i].iov_base, part);
    size += part;
  }
  return size;
}

}  // namespace

net::TlsHello Shield::keep(Bytes bytes) {
  // All that an honest client says before it is answered is its first message.
  if (!first_.empty() && net::scan_tls_hello(first_) == net::TlsHello::complete) {
    return net::TlsHello::broken;
  }
  if (first_.size() + bytes.size() > limits::tls_hello_bytes_max) return net::TlsHello::broken;
  first_.insert(first_.end(), bytes.begin(), bytes.end());
  return net::scan_tls_hello(first_);
}

Value Shield::begin() {
  tls_ = std::make_unique<net::Tls>(std::move(context_));
  return std::exchange(first_, {});
}

bool Shield::written(const Outbox& outbox) const {
  const bool nothing_sealed = written_ == sealed_.size() && (!tls_ || tls_->outgoing().empty());
  return nothing_sealed && (!open() || outbox.empty());
}

std::size_t Shield::slices(Outbox& outbox, Outbox::Slices& slices) {
  if (written_ == sealed_.size()) {
    sealed_ = {};
    written_ = 0;
    if (open()) seal(outbox);
    if (tls_) sealed_.swap(tls_->outgoing());
  }
  if (sealed_.empty()) return 0;
  slices[0].iov_base = sealed_.data() + written_;
  slices[0].iov_len = sealed_.size() - written_;
  return 1;
}

void Shield::consume(std::size_t count) {
  written_ += count;
  if (written_ < sealed_.size()) return;
  sealed_ = {};  // an idle peer keeps no room
  written_ = 0;
}

void Shield::seal(Outbox& outbox) {
  std::array<std::byte, record_bytes> record;
  while (!outbox.empty() && tls_->outgoing().size() < sealed_bytes_max) {
    const std::size_t size = gather(outbox, record);
    tls_->write(Bytes(record).first(size));
    outbox.consume(size);
  }
}

}  // namespace muster::server
