/// \file
/// Messages between ranks, as MPI has them; and as a test has them without.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/bytes.hpp>
#include <muster/result.hpp>

namespace muster::plugins {

inline constexpr std::size_t message_bytes_max = 64U << 10;

/// Resource; one thread at a time. Nothing here waits for another rank. Messages from one rank to
/// another arrive once and in order, or the job is over.
class Messages {
 public:
  /// Value. `bytes` live until the next call.
  struct Message {
    std::uint32_t from = 0;
    Bytes bytes;
  };

  virtual ~Messages() = default;
  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;
  /// Begins to send a copy of `bytes`, at most message_bytes_max; none is a message, too.
  virtual void send(std::uint32_t to, Bytes bytes) = 0;
  /// How many messages to `to` are still on their way out. Takes them further.
  virtual std::size_t unsent(std::uint32_t to) = 0;
  /// The next message from whomever, if there is one.
  virtual std::optional<Message> receive() = 0;
  /// Something failed: no message comes or goes any more.
  virtual bool broken() const = 0;
  /// The last call. `clean`: all that was sent has arrived, here and there; else nothing may be
  /// waited for.
  virtual Result<void> close(bool clean) = 0;
};

}  // namespace muster::plugins
