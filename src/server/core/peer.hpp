/// \file
/// One link: its first bytes, then its frames.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>

#include "base/pulse.hpp"
#include "server/core/roster.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"

namespace muster::server {

/// Resource. A stranger costs little: at most limits::hello_bytes_max are stored for it.
class Peer {
 public:
  explicit Peer(std::string address) : address_(std::move(address)) {}

  const std::string& address() const { return address_; }

  /// Value. `hello` is set when `state` is complete, `rest` are then the bytes of this call behind
  /// it; when it is `old`, `hello` is as much as has come. Both live as long as the bytes given and
  /// the peer.
  struct First {
    wire::HelloState state = wire::HelloState::more;
    Bytes hello;
    Bytes rest;
  };
  /// Before admission: takes the next bytes of the link.
  First take_first(Bytes bytes);
  /// What was stored of an incomplete hello.
  Bytes stored() const { return stored_; }

  /// What came over a stranger's link is known to come from a member of the job: TLS says so, or
  /// it is a link within this process.
  void vouch() { vouched_ = true; }
  bool vouched() const { return vouched_; }

  /// Value. A hello that was understood, and what a proof has to cover.
  struct Asked {
    wire::ClientHello hello;
    TimePoint at;  ///< when it came, from which its time left counts
    Value client_hello;
    Value server_hello;
    Digest proof{};  ///< the server's, once the client's was good
  };
  /// The hello was good as far as that can be said without a proof, which is awaited now.
  void ask(Asked asked);
  /// Null if none was asked for.
  const Asked* asked() const { return asked_.get(); }
  /// Value. `more`: it is not there yet. `proof` is nothing if what came is none.
  struct ProofFound {
    bool more = false;
    std::optional<wire::Proof> proof;
    Bytes rest;
  };
  /// After ask(): takes the next bytes of the link.
  ProofFound take_proof(Bytes bytes);

  /// The hello was good, and the rank is to be found: nothing more is to come until then. `proof`
  /// is for its welcome.
  void seek(const Digest& proof);
  bool seeks() const { return seeks_; }
  /// For the welcome: zeros if none was asked for.
  Digest proof() const { return asked_ ? asked_->proof : Digest{}; }

  /// The hello was good. `ranks` is empty for a tool.
  void admit(Ranks ranks, std::uint32_t features = 0);
  /// The same for a client of version 0: a tool, with frames of its own.
  void admit_version0();
  bool speaks_version0() const { return version0_; }
  bool admitted() const { return admitted_; }
  const Ranks& ranks() const { return ranks_; }
  bool reads_seekers() const { return (features_ & wire::feature_seekers) != 0; }
  bool is_tool() const { return ranks_.empty(); }
  bool speaks_for(std::uint32_t rank) const;

  wire::FrameReader& reader() { return reader_; }
  Pulse& pulse() { return pulse_; }

 private:
  std::string address_;
  bool admitted_ = false;
  bool vouched_ = false;
  bool seeks_ = false;
  bool version0_ = false;
  std::uint32_t features_ = 0;  ///< as its hello offers them
  Ranks ranks_;
  Value stored_;
  std::unique_ptr<Asked> asked_;  ///< apart: most peers are members, and have none
  wire::FrameReader reader_;
  Pulse pulse_;
};

}  // namespace muster::server
