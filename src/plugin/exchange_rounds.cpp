#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "group/call_check.hpp"
#include "plugin/invoke.hpp"
#include "plugin/rounds.hpp"
#include "wire/kinds.hpp"

namespace muster::plugin {
namespace {

muster_plugin_bytes borrowed(Bytes bytes) {
  return {bytes.data(), bytes.size()};
}

/// Takes the parts of a good round over.
class Sink {
 public:
  muster_plugin_sink table() {
    return {.version = MUSTER_PLUGIN_VERSION,
            .size = sizeof(muster_plugin_sink),
            .context = this,
            .parts = take};
  }
  /// How often the plugin has called.
  int calls() const { return calls_; }
  bool too_large() const { return too_large_; }
  /// A part, or all of them, had a length and was nowhere.
  bool nowhere() const { return nowhere_; }
  const Parts& parts() const { return parts_; }
  Parts take_parts() { return std::move(parts_); }

 private:
  static void take(void* context, const muster_plugin_bytes* parts, std::uint32_t count) {
    auto& self = *static_cast<Sink*>(context);
    if (++self.calls_ > 1) return;
    std::size_t total = 0;
    self.nowhere_ = parts == nullptr && count != 0;
    for (std::uint32_t i = 0; i < count && !self.nowhere_; ++i) {
      self.nowhere_ = parts[i].data == nullptr && parts[i].length != 0;
      if (parts[i].length > limits::round_bytes_max - total) {
        self.too_large_ = true;
        return;
      }
      total += parts[i].length;
    }
    if (self.nowhere_) return;
    std::vector<Bytes> views;
    views.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      views.emplace_back(static_cast<const std::byte*>(parts[i].data), parts[i].length);
    }
    self.parts_ = Parts(views);
  }

  int calls_ = 0;
  bool too_large_ = false;
  bool nowhere_ = false;
  Parts parts_;
};

class ExchangeRounds : public RoundMaker {
 public:
  ExchangeRounds(const Session& session, const Place& place) : session_(session), place_(place) {}

  Result<Parts> round(const Call& call, std::uint64_t sequence, TimePoint deadline) override {
    const std::vector<muster_plugin_bytes> payloads = payloads_of(call);
    muster_plugin_call asked{.version = MUSTER_PLUGIN_VERSION,
                             .size = sizeof(asked),
                             .sequence = sequence,
                             .kind = static_cast<std::uint32_t>(call.kind),
                             .root = call.root,
                             .deadline_ns = to_ns(deadline),
                             .label = {call.label.data(), call.label.size()},
                             .token = {},
                             .payloads = payloads.data(),
                             .payload_count = static_cast<std::uint32_t>(payloads.size()),
                             .zero = 0};
    std::ranges::transform(call.token, asked.token,
                           [](std::byte byte) { return static_cast<unsigned char>(byte); });
    Sink sink;
    const muster_plugin_sink table = sink.table();
    auto done = invoke(session_.name(), "exchange", [&](muster_plugin_error* error) {
      return session_.table().exchange(place_.group, &asked, &table, error);
    });
    if (!done) return std::move(done).error();
    if (auto how = malformed(sink, call)) {
      return broken_contract(session_.name(), "exchange", *how);
    }
    return sink.take_parts();
  }

 private:
  std::vector<muster_plugin_bytes> payloads_of(const Call& call) const {
    if (!wire::deals(call.kind)) return {borrowed(call.payload)};
    std::vector<muster_plugin_bytes> payloads;
    for (const Bytes payload : call.payloads) payloads.push_back(borrowed(payload));
    return payloads;
  }

  /// What is wrong with a verdict that is called good.
  std::optional<std::string> malformed(const Sink& sink, const Call& call) const {
    if (sink.calls() > 1) return fmt::format("gave its parts {} times", sink.calls());
    if (sink.nowhere()) return "gave a part with a length, and NULL for its bytes";
    if (sink.too_large()) {
      return fmt::format("gave parts of more than {} bytes together", limits::round_bytes_max);
    }
    const Parts& parts = sink.parts();
    const std::size_t expected = parts_expected(call, place_.rank, place_.size);
    if (parts.size() != expected) {
      return fmt::format("gave {} parts of a {}, expected {}", parts.size(), name(call.kind),
                         expected);
    }
    if (!wire::has_one_size(call.kind)) return std::nullopt;
    const Bytes mine = wire::deals(call.kind) ? call.payloads.front() : call.payload;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].size() == mine.size()) continue;
      return fmt::format("gave rank {}'s part of an {} with {} bytes, expected {}", i,
                         name(call.kind), parts[i].size(), mine.size());
    }
    return std::nullopt;
  }

  const Session& session_;
  Place place_;
};

}  // namespace

std::unique_ptr<RoundMaker> make_exchange_rounds(const Session& session, const Place& place) {
  return std::make_unique<ExchangeRounds>(session, place);
}

}  // namespace muster::plugin
