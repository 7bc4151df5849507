/// \file
/// A listening socket on the loop.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <uv.h>

#include <muster/deadline.hpp>
#include <muster/result.hpp>

#include "base/fork.hpp"
#include "net/fd.hpp"
#include "net/url.hpp"
#include "server/driver/connection.hpp"

namespace muster::server {

/// Resource; the loop's thread, but for what is said of open().
class Listener {
 public:
  /// A peer has connected. The address is as it may be shown: "127.0.0.1:4711", "unix".
  using OnAccepted = std::function<void(net::Fd socket, std::string address)>;
  /// The system refuses connections, by errno's number; told at each attempt. Accepting is tried
  /// again after a pause, or when go_on() says so.
  using OnRefused = std::function<void(int error)>;

  Listener(OnAccepted on_accepted, OnRefused on_refused)
      : on_accepted_(std::move(on_accepted)), on_refused_(std::move(on_refused)) {}

  /// Peers of another user are closed at once.
  void let_in_same_user_only() { same_user_only_ = true; }

  /// Listens on `given` if it is a socket, else binds `url` by `bind_by`; before the loop runs.
  /// Errors: those of net::listen, `system`. On failure it may be thrown away.
  Result<void> open(uv_loop_t* loop, net::Fd given, const net::Url& url, TimePoint bind_by);
  /// What was bound, with the port that the system picked; empty if nothing was.
  const std::string& url() const { return url_; }

  /// There may be descriptors again.
  void go_on();

  /// No more is accepted; the file of a socket that was bound here goes. Idempotent.
  void close();

 private:
  void listen_on();
  void accept_some();
  void pause(int error);
  bool allowed(int fd) const;

  const OnAccepted on_accepted_;
  const OnRefused on_refused_;
  bool same_user_only_ = false;
  std::string url_;
  bool bound_here_ = false;  ///< and so is the socket's file, if it has one
  net::Fd socket_;
  std::optional<OwnDescriptor> own_;
  UvHandle<uv_poll_t> poll_;
  UvHandle<uv_timer_t> again_;  ///< accepting is tried again, after descriptors ran out
};

}  // namespace muster::server
