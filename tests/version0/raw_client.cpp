#include "raw_client.hpp"

#include <gtest/gtest.h>

#include <muster/job.hpp>

#include "base/text.hpp"
#include "wire/v0.hpp"
#include "wire/v0_answers.hpp"

namespace muster::version0 {

std::unique_ptr<server::Server> serve(bool version0) {
  server::ServeOptions options;
  options.url = net::Url::parse("tcp://127.0.0.1:0").value();
  options.bind_by = Clock::now() + support::patience;
  options.core.job = "version0";
  options.core.incarnation = Incarnation::random();
  options.core.epoch = Epoch::random();
  options.core.size = 2;
  options.core.version0 = version0;
  return server::Server::start(std::move(options)).value();
}

std::unique_ptr<Store> store_of(const server::Server& server) {
  return connect_store(server.url(), Deadline::in(support::patience)).value();
}

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << "#" << answer.sequence << ": " << answer.result << " " << quoted(answer.body);
}

std::string header(std::uint32_t body_bytes, std::uint32_t sequence, std::uint16_t type) {
  Value bytes(wire::header_bytes);
  wire::put_header(bytes.data(), {wire::Type{type}, 0, body_bytes, sequence});
  return std::string(as_text(bytes));
}

RawClient::RawClient(const server::Server& server, bool hello) : link_(server.url()) {
  if (!hello) return;
  link_.send(encode(wire::v0::Hello{.rank = 1}));
  EXPECT_EQ(link_.receive(2), std::string(2, '\0'));
}

void RawClient::send(const wire::v0::Request& request, std::uint32_t sequence) {
  Value body;
  wire::v0::pack(request, body);
  send_frame(as_text(body), sequence);
}

void RawClient::send_frame(std::string_view body, std::uint32_t sequence, std::uint16_t type) {
  link_.send(header(static_cast<std::uint32_t>(body.size()), sequence, type).append(body));
}

Answer RawClient::receive() {
  const std::string head = link_.receive(wire::header_bytes);
  if (head.size() < wire::header_bytes) return {};
  wire::FrameHeader header;
  EXPECT_TRUE(wire::get_header(as_bytes(head).data(), header));
  EXPECT_EQ(static_cast<int>(header.type), 0);
  EXPECT_NE(header.length, 0U) << "the reference's client would wait for a body";
  return {header.result, header.sequence, link_.receive(header.length)};
}

Answer RawClient::ask(const wire::v0::Request& request) {
  send(request, ++last_sequence_);
  const Answer answer = receive();
  EXPECT_EQ(answer.sequence, last_sequence_);
  return answer;
}

std::string value_of(const Answer& answer, wire::v0::Operation operation) {
  EXPECT_EQ(answer.result, 0) << answer.body;
  const auto value = wire::v0::unpack_value(as_bytes(answer.body), operation);
  return value ? std::string(as_text(*value)) : "no packed value";
}

}  // namespace muster::version0
