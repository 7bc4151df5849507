/// \file
/// A server's TLS and a client's that has its secret, with somebody between them who does what the
/// input says: each byte is a step, the bytes after it say how.
#pragma once

#include <cstddef>
#include <memory>

#include <muster/bytes.hpp>

#include "net/rude_tls.hpp"
#include "server/driver/shield.hpp"
#include "wire/cursor.hpp"

namespace muster::fuzz {

/// Who sends: the client's bytes are on their way to the server.
enum Sender : std::size_t { by_client, by_server };

/// What one side has said, and what the other has heard of it: the beginning of it, and nothing
/// else.
class Speech {
 public:
  explicit Speech(Sender sender) : sender_(sender) {}
  Value say(std::size_t count);
  void hear(Bytes plain);
  bool whole() const { return heard_ == said_; }

 private:
  std::byte at(std::size_t place) const;

  Sender sender_;
  std::size_t said_ = 0;
  std::size_t heard_ = 0;
};

/// A connection's TLS as the server's driver has it.
class ServerEnd {
 public:
  explicit ServerEnd(bool faulty);

  void receive(Bytes bytes, Speech& heard);
  void say(Bytes plain);
  bool open() const { return !closed_ && shield_.open(); }
  /// What it wants to send.
  Value taken();

 private:
  void unseal(Bytes bytes, Speech& heard);

  server::Shield shield_;
  const bool faulty_;  ///< takes data in the clear, while the handshake goes on
  bool closed_ = false;
  std::size_t kept_bytes_ = 0;
  std::size_t answered_bytes_ = 0;  ///< since it has said something by itself
};

class TlsPlant {
 public:
  TlsPlant(wire::Reader input, bool faulty);
  ~TlsPlant();
  void run();

 private:
  struct Link;

  void one_step();
  void deliver(Sender sender, std::size_t count);
  void carry_all();
  void client_receives(Bytes bytes);
  void collect();
  void send(Sender sender, Bytes bytes);
  void say(Sender sender, std::size_t count);
  void ask_for_key_changes(unsigned count);
  void meddle(unsigned how, Sender sender);
  void swap_records(Value& way);
  void replay(Sender sender);
  void expect_whole();
  std::size_t place(const Value& way);

  wire::Reader input_;
  const bool faulty_;
  const bool stranger_;  ///< the client has another secret
  std::unique_ptr<Link> link_;
  Value seen_[2];  ///< of all links, by sender
};

}  // namespace muster::fuzz
