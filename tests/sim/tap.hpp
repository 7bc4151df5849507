/// \file
/// Reads along on one direction of a link: the hello, then frames.
#pragma once

#include <cstdint>
#include <utility>

#include <muster/bytes.hpp>

#include "wire/frame.hpp"
#include "wire/hello.hpp"

namespace muster::sim {

/// Resource. Never complains: what is no hello, or no frame, ends the reading for good.
class Tap {
 public:
  enum class Speaker : std::uint8_t { client, server };
  explicit Tap(Speaker speaker) : speaker_(speaker) {}

  /// Calls `on_hello(Bytes)` once, then `on_frame(const wire::FrameHeader&, Bytes body)`. The bytes
  /// live until the function called returns.
  template <class OnHello, class OnFrame>
  void feed(Bytes bytes, OnHello&& on_hello, OnFrame&& on_frame) {
    Value rest;
    if (!hello_seen_) {
      first_.insert(first_.end(), bytes.begin(), bytes.end());
      const wire::HelloScan scan = speaker_ == Speaker::client ? wire::scan_client_hello(first_)
                                                               : wire::scan_server_hello(first_);
      if (scan.state != wire::HelloState::complete) return;
      hello_seen_ = true;
      on_hello(Bytes(first_).first(scan.length));
      rest.assign(first_.begin() + static_cast<std::ptrdiff_t>(scan.length), first_.end());
      bytes = rest;
    }
    wire::FrameHeader header;
    Bytes body;
    reader_.feed(bytes);
    while (reader_.next(header, body) == wire::FrameReader::Found::frame) on_frame(header, body);
  }

 private:
  Speaker speaker_;
  bool hello_seen_ = false;
  Value first_;
  wire::FrameReader reader_;
};

}  // namespace muster::sim
