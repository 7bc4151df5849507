#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "status_text.hpp"

namespace muster::tool {
namespace {

using json = nlohmann::ordered_json;

json who_json(const RankName& who) {
  json out;
  out["rank"] = who.rank == no_rank ? json() : json(who.rank);
  out["host"] = who.host;
  out["pid"] = who.pid;
  out["detail"] = who.detail;
  return out;
}

json failure_json(const Failure& failure) {
  json out;
  out["code"] = name(failure.code);
  out["reason"] = failure.reason;
  out["advice"] = failure.advice;
  out["exit_code"] = failure.exit_code;
  out["who"] = json::array();
  for (const auto& who : failure.who) out["who"].push_back(who_json(who));
  return out;
}

json row_json(const RosterRow& row) {
  json out = who_json(row.who);
  out["state"] = name(row.state);
  out["since_ms"] = row.since.count();
  out["waiting_in"] = row.waiting_in;
  return out;
}

json round_json(const OpenRound& round) {
  json out;
  // A string: 64 bits are more than a JSON reader's number may hold.
  out["group"] = round.group == 0 ? "world" : fmt::format("{:016x}", round.group);
  out["sequence"] = round.sequence;
  out["what"] = round.what;
  out["arrived"] = round.arrived;
  out["age_ms"] = round.age.count();
  out["missing"] = round.missing;
  return out;
}

json seeker_json(const Seeker& seeker) {
  json out;
  out["host"] = seeker.host;
  out["pid"] = seeker.pid;
  out["since_ms"] = seeker.since.count();
  return out;
}

}  // namespace

std::string status_json(const JobStatus& status, const std::string& url) {
  json out;
  out["job"] = status.job;
  out["url"] = url;
  out["incarnation"] = status.incarnation;
  out["stage"] = name(status.stage);
  out["size"] = status.size;
  out["joined"] = status.joined;
  out["keys"] = status.keys;
  out["age_ms"] = status.age.count();
  out["failure"] = status.failure ? failure_json(*status.failure) : json();
  out["ranks"] = json::array();
  for (const auto& row : status.rows) out["ranks"].push_back(row_json(row));
  out["rounds"] = json::array();
  for (const auto& round : status.rounds) out["rounds"].push_back(round_json(round));
  out["seeking"] = status.seeking;
  out["seekers"] = json::array();
  for (const auto& seeker : status.seekers) out["seekers"].push_back(seeker_json(seeker));
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace muster::tool
