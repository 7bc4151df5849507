#include "job/protect.hpp"

#include "net/tls_context.hpp"

namespace muster {
namespace {

using Context = std::shared_ptr<const net::TlsContext>;

/// Of credentials that settle for TLS.
Result<Context> make_context(net::TlsSide side, const Credentials& credentials,
                             const std::string& job) {
  if (credentials.secret) return net::TlsContext::make(side, *credentials.secret, job);
  return net::TlsContext::make(side, *credentials.certificates, job);
}

}  // namespace

Result<void> protect(client::LinkOptions& link, const Credentials& credentials) {
  const Result<Security> security = credentials.settled();
  if (!security) return security.error();
  if (*security == Security::secret) link.secret = credentials.secret;
  if (*security != Security::tls) return {};
  Result<Context> context = make_context(net::TlsSide::client, credentials, link.hello.job);
  if (!context) return std::move(context).error();
  link.tls = *std::move(context);
  return {};
}

Result<void> protect(server::ServeOptions& serving, const Credentials& credentials) {
  const Result<Security> security = credentials.settled();
  if (!security) return security.error();
  if (*security == Security::secret) serving.core.secret = credentials.secret;
  if (*security != Security::tls) return {};
  Result<Context> context = make_context(net::TlsSide::server, credentials, serving.core.job);
  if (!context) return std::move(context).error();
  serving.tls = *std::move(context);
  return {};
}

}  // namespace muster
