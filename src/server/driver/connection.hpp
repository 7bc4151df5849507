/// \file
/// One accepted socket on the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <uv.h>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>

#include "base/fork.hpp"
#include "net/address.hpp"
#include "net/fd.hpp"
#include "server/core/actions.hpp"
#include "server/driver/outbox.hpp"
#include "server/driver/shield.hpp"

namespace muster::server {

/// Closes a libuv handle and frees it when the loop lets go of it.
struct CloseHandle {
  template <class Handle>
  void operator()(Handle* handle) const {
    uv_close(reinterpret_cast<uv_handle_t*>(handle), [](uv_handle_t* closed) {
      delete reinterpret_cast<Handle*>(closed);  // taste: libuv hands it back here
    });
  }
};
template <class Handle>
using UvHandle = std::unique_ptr<Handle, CloseHandle>;

/// A handle that watches `fd`; none, and `error` is errno's number, if the system refuses.
UvHandle<uv_poll_t> make_poll(uv_loop_t* loop, int fd, void* data, int& error);

/// Resource; the loop's thread. Destroying it closes the socket.
class Connection {
 public:
  /// Told what the socket is ready for; may destroy the connection.
  using OnReady = std::function<void(Connection&, bool readable, bool writable)>;

  /// None, and `error` is errno's number, if the system will not watch the socket.
  static std::unique_ptr<Connection> make(uv_loop_t* loop, net::Fd socket, LinkId id,
                                          const OnReady& on_ready, int& error);
  ~Connection();
  Connection(const Connection&) = delete;

  LinkId id() const { return id_; }
  Outbox& outbox() { return outbox_; }
  const Outbox& outbox() const { return outbox_; }

  /// From now on what comes and goes is TLS's.
  void raise_shield(std::unique_ptr<Shield> shield) { shield_ = std::move(shield); }
  void lower_shield() { shield_.reset(); }
  /// Null: the peer is spoken to in the clear.
  Shield* shield() { return shield_.get(); }

  /// Reads once into `slab`: the count, 0 at the end, -1 and errno.
  ssize_t read(std::span<std::byte> slab);
  /// Writes what the socket takes. 0, or errno's number: the peer is gone.
  int flush();
  /// Nothing waits to be written.
  bool written() const { return shield_ ? shield_->written(outbox_) : outbox_.empty(); }

  /// What the peer leaves unacknowledged for so long breaks the connection.
  void bound_delivery(Duration time) { net::bound_delivery(socket_.get(), time); }

  /// What was read and is to be worked through later, in this order; until then no more is read.
  void hold(Bytes bytes) { held_.insert(held_.end(), bytes.begin(), bytes.end()); }
  bool holds() const { return !held_.empty(); }
  Value take_held() { return std::exchange(held_, {}); }
  /// What is held waits until more of the answers has been written.
  bool stalled = false;
  /// The peer is gone, when what is held is worked through: until then nothing is read or written.
  void end_after_held(std::string why);
  const std::optional<std::string>& end() const { return end_; }

  /// Whether the peer is to be cut off at `now`, of times that do not go back: more than
  /// limits::unsent_bytes_max waits for it, and it has taken nothing for a while; or far more
  /// waits; or it is stalled, and has taken nothing for longer.
  bool deaf(TimePoint now);

  /// No more is read; the connection is to be destroyed once all is written(), or at `deadline`.
  void close_after_flush(TimePoint deadline);
  bool closing() const { return closing_; }
  TimePoint closing_deadline() const { return closing_deadline_; }

 private:
  Connection(net::Fd socket, LinkId id, const OnReady& on_ready, UvHandle<uv_poll_t> poll);
  void want(int events);

  net::Fd socket_;
  const OwnDescriptor own_{socket_.get()};
  const LinkId id_;
  const OnReady& on_ready_;
  UvHandle<uv_poll_t> poll_;
  int events_ = 0;
  Outbox outbox_;
  std::unique_ptr<Shield> shield_;
  Value held_;
  std::optional<std::string> end_;
  std::uint64_t taken_bytes_ = 0;  ///< by the peer, in all
  std::uint64_t taken_then_ = 0;   ///< at full_since_
  std::optional<TimePoint> full_since_;
  bool closing_ = false;
  TimePoint closing_deadline_{};
};

}  // namespace muster::server
