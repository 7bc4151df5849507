#include <muster/contract.hpp>

#include "c/arguments.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"

using muster::Result;
using muster::Share;
using muster::c::Arguments;
using muster::c::guarded;

namespace {

/// Adds one entry by `add`, once contract, name and share are known to be something.
template <class Add>
muster_status put(muster_contract* contract, const char* name, int share, Add add) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(contract, "contract").need(name, "name");
    const Share shared = given.flag(share, "share") ? Share::open : Share::local;
    if (!given.good()) return given.problem();
    return add(contract->builder, shared);
  });
}

}  // namespace

muster_status muster_contract_create(muster_contract** contract) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(contract, "contract").good()) return given.problem();
    *contract = std::make_unique<muster_contract>().release();
    return {};
  });
}

muster_status muster_contract_integer(muster_contract* contract, const char* name, int64_t value,
                                      int share) {
  return put(contract, name, share, [&](auto& builder, Share shared) -> Result<void> {
    builder.integer(name, value, shared);
    return {};
  });
}

muster_status muster_contract_real(muster_contract* contract, const char* name, double value,
                                   int share) {
  return put(contract, name, share, [&](auto& builder, Share shared) -> Result<void> {
    builder.real(name, value, shared);
    return {};
  });
}

muster_status muster_contract_boolean(muster_contract* contract, const char* name, int value,
                                      int share) {
  return put(contract, name, share, [&](auto& builder, Share shared) -> Result<void> {
    builder.boolean(name, value != 0, shared);
    return {};
  });
}

muster_status muster_contract_text(muster_contract* contract, const char* name, const char* value,
                                   int share) {
  return put(contract, name, share, [&](auto& builder, Share shared) -> Result<void> {
    Arguments given;
    if (!given.need(value, "value").good()) return given.problem();
    builder.text(name, value, shared);
    return {};
  });
}

muster_status muster_contract_blob(muster_contract* contract, const char* name, muster_bytes value,
                                   int share) {
  return put(contract, name, share, [&](auto& builder, Share shared) -> Result<void> {
    Arguments given;
    const muster::Bytes bytes = given.bytes(value, "value");
    if (!given.good()) return given.problem();
    builder.blob(name, muster::to_value(bytes), shared);
    return {};
  });
}

void muster_contract_free(muster_contract* contract) {
  const std::unique_ptr<muster_contract> freed(contract);
}
