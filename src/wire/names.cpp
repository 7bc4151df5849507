#include <muster/kind.hpp>
#include <muster/roster.hpp>

namespace muster {

const char* name(Kind kind) {
  switch (kind) {
    case Kind::barrier:
      return "barrier";
    case Kind::broadcast:
      return "broadcast";
    case Kind::gather:
      return "gather";
    case Kind::allgather:
      return "allgather";
    case Kind::allgatherv:
      return "allgatherv";
    case Kind::exchange:
      return "exchange";
    case Kind::scatter:
      return "scatter";
    case Kind::alltoall:
      return "alltoall";
  }
  return "unknown";
}

const char* name(State state) {
  switch (state) {
    case State::absent:
      return "absent";
    case State::joined:
      return "joined";
    case State::left:
      return "left";
    case State::lost:
      return "lost";
    case State::failed:
      return "failed";
  }
  return "unknown";
}

const char* name(JobStatus::Stage stage) {
  switch (stage) {
    case JobStatus::Stage::gathering:
      return "gathering";
    case JobStatus::Stage::running:
      return "running";
    case JobStatus::Stage::leaving:
      return "leaving";
    case JobStatus::Stage::ended:
      return "ended";
    case JobStatus::Stage::doomed:
      return "doomed";
  }
  return "unknown";
}

}  // namespace muster
