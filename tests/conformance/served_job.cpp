#include "conformance/served_job.hpp"

#include <utility>

#include "client/driver/link.hpp"
#include "job/protect.hpp"
#include "support/test_ca.hpp"

namespace muster::conformance {
namespace {

TimePoint soon() {
  return Clock::now() + std::chrono::seconds{60};
}

Credentials credentials_over(Transport transport) {
  static support::TestCa ca;
  static const Certificates files = ca.issue({.jobs = {"conformance"}});
  Credentials credentials;
  if (transport == Transport::certificates) credentials.certificates = files;
  if (transport == Transport::tls) credentials.security = Security::tls;
  if (transport == Transport::tls || transport == Transport::secret) {
    credentials.secret = Secret::random();
  }
  return credentials;
}

}  // namespace

ServedJob::ServedJob(Transport transport, std::uint32_t size, server::OnLoss on_loss)
    : transport_(transport), credentials_(credentials_over(transport)), size_(size) {
  server::ServeOptions options;
  if (transport == Transport::unix_socket) {
    options.url = net::Url::parse(directory_.unix_url()).value();
  } else if (transport != Transport::in_process) {
    options.url = net::Url::parse("tcp://127.0.0.1:0").value();
  }
  options.bind_by = soon();
  options.core.job = "conformance";
  options.core.incarnation = Incarnation::random();
  options.core.epoch = Epoch::random();
  options.core.size = size;
  options.core.on_loss = on_loss;
  protect(options, credentials_).value();
  server_ = server::Server::start(std::move(options)).value();
}

std::shared_ptr<client::Caller> ServedJob::link_rank(std::uint32_t rank) {
  wire::ClientHello hello;
  hello.size = size_;
  hello.pid = 1000 + rank;
  hello.host = "node" + std::to_string(rank);
  hello.ranks = {{rank, 1}};
  return link(std::move(hello));
}

std::shared_ptr<client::Caller> ServedJob::link_tool() {
  wire::ClientHello hello;
  hello.role = wire::Role::tool;
  return link(std::move(hello));
}

std::shared_ptr<client::Caller> ServedJob::link_version0() {
  const auto url = net::Url::parse_for_store(server_->url() + "?wire=0").value();
  return client::connect_link(url, {}, soon()).value();
}

std::shared_ptr<client::Caller> ServedJob::link(wire::ClientHello hello) {
  client::LinkOptions options;
  options.hello = std::move(hello);
  if (transport_ != Transport::in_process) protect(options, credentials_).value();
  if (transport_ != Transport::in_process) {
    return client::connect_link(net::Url::parse(server_->url()).value(), std::move(options), soon())
        .value();
  }
  return client::adopt_link(server_->connect_in_process().value(), std::move(options), soon())
      .value();
}

}  // namespace muster::conformance
