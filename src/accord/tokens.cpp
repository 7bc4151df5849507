#include "accord/tokens.hpp"

#include <fmt/format.h>

#include "accord/encoding.hpp"

namespace muster::accord {

Result<void> check_generation(std::uint64_t generation) {
  constexpr std::uint64_t end = std::uint64_t{1} << 63;
  if (generation >= 1 && generation < end) return {};
  return Error{
      .code = Code::invalid_argument,
      .what = fmt::format("generation {} is out of range; expected 1 to {}", generation, end - 1)};
}

Digest agreement_token(const Epoch& epoch, const Identity& identity) {
  return Encoder("muster agreement v1")
      .epoch(epoch)
      .u64(identity.incarnation.number)
      .u32(identity.view)
      .digest();
}

Result<Digest> request_token(const Epoch& epoch, const Identity& identity, std::uint64_t generation,
                             const Digest& fingerprint) {
  if (auto checked = check_generation(generation); !checked) return checked.error();
  return Encoder("muster request v1")
      .epoch(epoch)
      .u64(identity.incarnation.number)
      .u32(identity.view)
      .u64(generation)
      .bytes(fingerprint)
      .digest();
}

}  // namespace muster::accord

namespace muster::f332 {

Digest config_exchange_token(const Epoch& epoch) {
  return accord::Encoder("symcc-cluster-lock-renewal-config-exchange-v1").epoch(epoch).digest();
}

}  // namespace muster::f332
