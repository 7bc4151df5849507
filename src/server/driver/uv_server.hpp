/// \file
/// The driver: carries what happens on sockets into the core and what the core wants back out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <uv.h>
#include <vector>

#include "server/core/core.hpp"
#include "server/driver/connection.hpp"
#include "server/driver/listener.hpp"
#include "server/driver/loop.hpp"
#include "server/driver/server.hpp"
#include "server/driver/tls_front.hpp"
#include "server/driver/unheard.hpp"

namespace muster::server {

/// Resource. Everything but the Server interface runs on the loop's thread. It decides nothing:
/// sockets, timers and the order of writes are all there is.
class UvServer final : public Server, private TlsFront::Host {
 public:
  explicit UvServer(ServeOptions options);
  ~UvServer() override;
  /// Binds and starts the thread; at most once.
  Result<void> start();

  std::string url() const override { return listener_.url(); }
  Result<net::Fd> connect_in_process() override;
  JobStatus status() override;
  std::optional<RosterRow> first_casualty() override;
  void doom(Failure failure) override;
  void stop(Duration grace) override;

 private:
  Result<void> open_loop();
  Result<void> open_listener();
  void say_shortage(int error);
  /// Turns a stranger away if descriptors have run out, so that somebody else can come.
  void make_room();
  /// The link's number; 0 if it was not taken.
  LinkId adopt(net::Fd socket, std::string address);
  void welcome(net::Fd socket, std::string address);
  void ready(Connection& connection, bool readable, bool writable);

  Connection* connection(LinkId link) override;
  void received(LinkId link, Bytes bytes) override;
  /// Gives the core what it has left of a link's bytes, if the answers before have been read.
  void hear_held(LinkId link);
  /// The one way into the core. Returns Actions::untaken.
  std::size_t step(const Event& event);
  void happened(const Event& event) override;
  void flush_later(LinkId link) override { unflushed_.push_back(link); }
  void turn_away(LinkId link, std::string why) override;
  void drop(LinkId link, const std::string& why) override;
  void forget(LinkId link);

  void perform(const Send& send);
  void perform(const Close& close);
  void perform(const Guard& guard);
  void perform(const Log& log);
  template <class Notice>
  void perform(const Notice& notice) {
    if (options_.on_event) options_.on_event(JobEvent{notice});
  }
  void settle_timer();
  /// Writes what the socket takes, and hears the peer again that had too much unwritten. 0, or
  /// errno's number.
  int write(Connection& connection);
  /// What was answered during this turn of the loop leaves in one write a connection.
  void flush_all();
  void tell_of_living();
  void drop_if_deaf(LinkId link);
  /// Connections that are to close, or whose peers do not read.
  void sweep();
  void sweep_later();
  void sweep_in(Duration time);
  void begin_stop(TimePoint deadline);
  void finish();

  ServeOptions options_;
  Loop loop_;
  Core core_;
  Actions actions_;
  std::vector<std::byte> slab_;  ///< one for all reads: what they bring is used up at once
  LinkId last_link_ = 0;
  TlsFront tls_;
  std::unordered_map<LinkId, std::unique_ptr<Connection>> connections_;
  std::vector<LinkId> unflushed_;
  std::vector<LinkId> overfull_;
  std::vector<LinkId> living_;  ///< they have read some of the answers that they are to read first
  Connection::OnReady on_ready_;

  Listener listener_;
  UvHandle<uv_timer_t> core_timer_;
  UvHandle<uv_timer_t> sweep_timer_;  ///< connections that are to close, and the end of a stop
  UvHandle<uv_prepare_t> before_poll_;
  std::optional<Unheard> unheard_;
  std::optional<TimePoint> core_due_;
  std::optional<TimePoint> stop_at_;
  int refused_ = 0;                            ///< errno's number, when a connection was
  std::optional<TimePoint> shortage_said_at_;  ///< that it was
  bool finished_ = false;
};

}  // namespace muster::server
