#include <cstring>

#include <muster/unique_id.hpp>

#include "c/arguments.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"
#include "c/memory.hpp"

using muster::Result;
using muster::UniqueId;
using muster::c::Arguments;
using muster::c::deliver;
using muster::c::guarded;
using muster::c::text;

static_assert(MUSTER_UNIQUE_ID_BYTES == UniqueId::bytes_size);

namespace {

Result<void> hand_out(Result<UniqueId> made, muster_unique_id** id) {
  return deliver(std::move(made), [&](UniqueId whole) {
    *id = std::make_unique<muster_unique_id>(muster_unique_id{std::move(whole)}).release();
  });
}

}  // namespace

void muster_unique_id_options_init_sized(muster_unique_id_options* options, size_t struct_size) {
  muster::c::init_sized(options, struct_size, muster_unique_id_options{.name_timeout = 10});
}

muster_status muster_unique_id_create(const muster_unique_id_options* options,
                                      muster_unique_id** id) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(id, "id");
    const auto said =
        given.options(options, muster_unique_id_options_init_sized, "muster_unique_id_options");
    muster::UniqueIdOptions wanted{.session_id = std::string(text(said.session_id)),
                                   .interfaces = std::string(text(said.interfaces)),
                                   .advertise = std::string(text(said.advertise)),
                                   .job_id = std::string(text(said.job_id)),
                                   .all_local = said.all_local != 0};
    wanted.port_range = given.ports(said.port_first, said.port_last);
    wanted.name_timeout = given.duration(said.name_timeout, wanted.name_timeout, "name_timeout");
    if (!given.good()) return given.problem();
    return hand_out(UniqueId::create(wanted), id);
  });
}

muster_status muster_unique_id_parse(const char* printed, muster_unique_id** id) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(printed, "text").need(id, "id").good()) return given.problem();
    return hand_out(UniqueId::parse(printed), id);
  });
}

muster_status muster_unique_id_from_bytes(const void* bytes, size_t length, muster_unique_id** id) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    const muster::Bytes whole = given.need(id, "id").bytes({bytes, length}, "bytes");
    if (!given.good()) return given.problem();
    return hand_out(UniqueId::from_bytes(whole), id);
  });
}

muster_status muster_unique_id_text(const muster_unique_id* id, muster_buffer* printed) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(id, "id").need(printed, "text").good()) return given.problem();
    *printed = muster::c::to_buffer(muster::as_bytes(id->id.text()));
    return {};
  });
}

muster_status muster_unique_id_bytes(const muster_unique_id* id, void* bytes) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(id, "id").need(bytes, "bytes").good()) return given.problem();
    const UniqueId::BytesForm form = id->id.bytes();
    std::memcpy(bytes, form.data(), form.size());
    return {};
  });
}

muster_status muster_unique_id_release(const muster_unique_id* id) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(id, "id").good()) return given.problem();
    id->id.release();
    return {};
  });
}

void muster_unique_id_free(muster_unique_id* id) {
  const std::unique_ptr<muster_unique_id> freed(id);
}
