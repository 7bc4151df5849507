// Collectives that are started now and waited for later.

#include <cstring>

#include "c/arguments.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"
#include "c/memory.hpp"

using muster::Kind;
using muster::Parts;
using muster::Result;
using muster::c::Arguments;
using muster::c::deliver;
using muster::c::guarded;

static_assert(static_cast<int>(Kind::barrier) == MUSTER_KIND_BARRIER);
static_assert(static_cast<int>(Kind::broadcast) == MUSTER_KIND_BROADCAST);
static_assert(static_cast<int>(Kind::gather) == MUSTER_KIND_GATHER);
static_assert(static_cast<int>(Kind::allgather) == MUSTER_KIND_ALLGATHER);
static_assert(static_cast<int>(Kind::allgatherv) == MUSTER_KIND_ALLGATHERV);
static_assert(static_cast<int>(Kind::exchange) == MUSTER_KIND_EXCHANGE);
static_assert(static_cast<int>(Kind::scatter) == MUSTER_KIND_SCATTER);
static_assert(static_cast<int>(Kind::alltoall) == MUSTER_KIND_ALLTOALL);

void muster_call_init_sized(muster_call* call, size_t struct_size) {
  muster::c::init_sized(call, struct_size, muster_call{.kind = MUSTER_KIND_BARRIER});
}

muster_status muster_start(muster_group* group, const muster_call* call, double timeout,
                           muster_request** request) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    given.need(group, "group").need(call, "call").need(request, "request");
    const auto said = given.options(call, muster_call_init_sized, "muster_call");
    const int kind = given.number(said.kind, MUSTER_KIND_BARRIER, MUSTER_KIND_ALLTOALL, "kind");
    const auto payloads = given.all_bytes(said.payloads, said.payload_count, "payloads");
    muster::Call whole{.kind = static_cast<Kind>(kind),
                       .label = muster::c::text(said.label),
                       .payload = given.bytes(said.payload, "payload"),
                       .root = said.root,
                       .payloads = payloads};
    std::memcpy(whole.token.data(), said.token, sizeof said.token);
    const auto deadline = given.deadline(timeout);
    if (!given.good()) return given.problem();
    auto* starts = dynamic_cast<muster::StartsRounds*>(group->group);
    if (starts == nullptr) {
      return muster::Error{.code = muster::Code::unsupported,
                           .what = "this group cannot start a collective and wait for it later",
                           .advice = "use the functions that wait"};
    }
    return deliver(starts->start(whole, deadline), [&](auto round) {
      *request = std::make_unique<muster_request>(muster_request{std::move(round)}).release();
    });
  });
}

muster_status muster_test(muster_request* request, int* done) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(request, "request").need(done, "done").good()) return given.problem();
    *done = request->round->test() ? 1 : 0;
    return {};
  });
}

muster_status muster_wait(muster_request* request, muster_parts** parts) {
  return guarded([&]() -> Result<void> {
    Arguments given;
    if (!given.need(request, "request").good()) return given.problem();
    const std::unique_ptr<muster_request> freed(request);
    return deliver(request->round->wait(), [&](Parts got) {
      if (parts != nullptr) *parts = muster::c::to_parts(std::move(got));
    });
  });
}
