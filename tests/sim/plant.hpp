/// \file
/// Faults put into the server on purpose: who checks the simulator needs a server that is wrong.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/deadline.hpp>

#include "server/core/actions.hpp"
#include "wire/frame.hpp"

namespace muster::sim {

/// Resource. Stands between the core and what watches it, and falsifies what passes.
class Plant {
 public:
  virtual ~Plant() = default;

  /// A request on its way to the core; its body may be changed. False: it never arrives.
  virtual bool request(server::LinkId, const wire::FrameHeader&, Value&) { return true; }
  /// A message on its way to a link; it may be changed. False: it never arrives.
  virtual bool message(server::LinkId, wire::FrameHeader&, Value&) { return true; }
  /// A link is gone. False: the core is not told.
  virtual bool closed(server::LinkId) { return true; }

  /// Whether what came while the server stood still is there when it goes on.
  virtual bool keeps_what_waits() const { return true; }

  /// How much later than its deadline a client's wait ends.
  virtual Duration oversleeps() const { return {}; }

  /// Messages that it makes up itself, after what has just passed.
  struct Forged {
    server::LinkId link = 0;
    wire::FrameHeader header;
    Value body;
  };
  std::vector<Forged> forged;
};

/// All names, with what each does, one a line.
std::string plant_names();

/// Null if there is no plant of this name. `size` is the job's.
std::unique_ptr<Plant> make_plant(std::string_view name, std::uint32_t size);

}  // namespace muster::sim
