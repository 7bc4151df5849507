#include "sessions.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "paths/paths.hpp"
#include "wire/v0.hpp"

namespace muster::version0 {
namespace {

std::string to_bytes(const std::string& hex) {
  Value bytes(hex.size() / 2);
  if (!from_hex(hex, bytes)) throw std::runtime_error("no hex: " + hex);
  return std::string(as_text(bytes));
}

std::vector<Session> read_sessions() {
  std::ifstream file(paths::source("tests/vectors/wire-v0.json"));
  const auto whole = nlohmann::json::parse(file);
  std::vector<Session> all;
  for (const auto& captured : whole.at("sessions")) {
    Session session{captured.at("session"), {}};
    for (const auto& step : captured.at("steps")) {
      session.steps.push_back({step.at("from") == "client", to_bytes(step.value("hex", ""))});
    }
    all.push_back(std::move(session));
  }
  return all;
}

}  // namespace

std::vector<Session::Frame> Session::frames(bool by_client) const {
  std::string stream;
  for (const Step& step : steps) {
    if (step.by_client == by_client) stream += step.bytes;
  }
  wire::FrameReader reader;
  reader.feed(
      as_bytes(stream).subspan(by_client ? wire::v0::hello_bytes : wire::v0::hello_answer_bytes));
  std::vector<Frame> cut;
  Frame frame;
  Bytes body;
  while (reader.next(frame.header, body) == wire::FrameReader::Found::frame) {
    frame.body = to_value(body);
    cut.push_back(frame);
  }
  EXPECT_EQ(reader.stored(), 0U) << name << " ends in the middle of a frame";
  return cut;
}

const std::vector<Session>& sessions() {
  static const std::vector<Session> all = read_sessions();
  return all;
}

const Session& session(std::string_view name) {
  for (const Session& each : sessions()) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("no such session: " + std::string(name));
}

}  // namespace muster::version0
