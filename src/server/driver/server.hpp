/// \file
/// The server: the pure core behind a listener, on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <muster/deadline.hpp>
#include <muster/log.hpp>
#include <muster/result.hpp>
#include <muster/roster.hpp>

#include "net/fd.hpp"
#include "net/tls_context.hpp"
#include "net/url.hpp"
#include "server/core/core.hpp"

namespace muster::server {

/// What happened to the job, for the server's owner.
using JobEvent = std::variant<Mustered, Doomed, Ended>;

struct ServeOptions {
  std::optional<net::Url> url;  ///< what to bind; none: only connect_in_process()
  TimePoint bind_by{};          ///< by when a name in `url` must have been resolved
  net::Fd listen_fd;            ///< a listening socket to use instead of binding `url`
  CoreOptions core;
  /// Whoever connects is to speak TLS, and `core.tls` is taken for set; none: in the clear.
  std::shared_ptr<const net::TlsContext> tls;
  LogSink log;                                    ///< none: silent
  std::function<void(const JobEvent&)> on_event;  ///< on the server's thread; must not block
  bool same_user_only = false;                    ///< Unix sockets: refuse peers of another user
};

/// Resource; any number of threads.
class Server {
 public:
  /// Binds, then serves at once. Errors: those of net::listen, `system`.
  static Result<std::unique_ptr<Server>> start(ServeOptions options);

  /// stop() with no grace.
  virtual ~Server() = default;

  /// What was bound, with the port that the system picked; empty if nothing was.
  virtual std::string url() const = 0;

  /// One end of a connected pair of sockets, the other of which is served: for ranks in this
  /// process.
  virtual Result<net::Fd> connect_in_process() = 0;

  virtual JobStatus status() = 0;
  virtual std::optional<RosterRow> first_casualty() = 0;

  /// Ends the job for all, with that reason.
  virtual void doom(Failure failure) = 0;

  /// Closes the listener, says "server leaving" to who is still there, writes what is unsent for at
  /// most `grace`, and ends the thread. Idempotent.
  virtual void stop(Duration grace) = 0;
};

}  // namespace muster::server
