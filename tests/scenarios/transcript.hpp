/// \file
/// What the core did, as text: one line a frame, close, log line or event, in order.
#pragma once

#include <map>
#include <set>
#include <string>

#include "server/core/actions.hpp"
#include "wire/frame.hpp"

namespace muster::scenarios {

/// Resource. Reads what each link was sent as a client would, and holds the core to it: every
/// answer belongs to a request that has none yet.
class Transcript {
 public:
  /// The client of `link` has asked; an answer is due.
  void asked(server::LinkId link, std::uint32_t sequence) { open_[link].insert(sequence); }
  /// The link is gone; no answer is due.
  void gone(server::LinkId link);

  /// `show_debug`: lines of the debug level, too.
  std::string show(const server::Actions& actions, bool show_debug);

  /// Requests without an answer on links that are still there.
  std::size_t unanswered() const;

 private:
  struct Stream {
    bool greeted = false;
    wire::FrameReader reader;
  };

  std::string show_send(const server::Send& send, const server::Actions& actions);
  std::string show_frame(server::LinkId link, const wire::FrameHeader& header, Bytes body);

  std::map<server::LinkId, Stream> streams_;
  std::map<server::LinkId, std::set<std::uint32_t>> open_;
};

/// "rank_lost: reason", then a line for each name.
std::string show_failure(const Failure& failure);
std::string show_status(const JobStatus& status);

}  // namespace muster::scenarios
