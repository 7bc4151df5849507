/// \file
/// Plays commands against a core, on a virtual clock.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/random.hpp"
#include "server/core/core.hpp"
#include "transcript.hpp"
#include "words.hpp"

namespace muster::scenarios {

/// Resource. The commands are described in README.md beside this file.
class Stage {
 public:
  /// Does what `line` says and returns what came of it. Throws Mistake.
  std::string play(const std::string& line);

 private:
  struct Client {
    std::uint32_t next_sequence = 1;
    std::vector<std::uint32_t> ranks;
  };

  void make_core(const Words& words);
  std::string muster(std::uint32_t size);
  std::string step(const server::Event& event);
  std::string receive(server::LinkId link, Bytes bytes);
  std::string pass_time(std::chrono::milliseconds time, bool with_ticks);
  std::string hello(server::LinkId link, const Words& words);
  std::string raw_bytes(server::LinkId link, const Words& words);
  std::string arrive(server::LinkId link, const Words& words);
  std::string request(server::LinkId link, const Words& words);
  std::string link_command(const Words& words);
  std::string show_items() const;
  template <class Message>
  std::string ask(server::LinkId link, wire::Type type, const Message& message);
  std::string ask_raw(server::LinkId link, wire::Type type, Bytes body);

  SeededRandom random_{1};
  std::unique_ptr<server::Core> core_;
  server::Actions actions_;
  Transcript transcript_;
  std::map<server::LinkId, Client> clients_;
  const TimePoint start_ = TimePoint{} + std::chrono::hours{1};
  TimePoint now_ = start_;
  bool beats_ = false;  ///< links want signs of life, unless they say otherwise
  bool show_debug_ = false;
};

}  // namespace muster::scenarios
