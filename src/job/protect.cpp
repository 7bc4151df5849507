#include "job/protect.hpp"

namespace muster {
namespace {

Error no_tls() {
  return Error{.code = Code::unsupported,
               .what = "security is tls, which this build does not have"};
}

}  // namespace

Result<void> protect(client::LinkOptions& link, const Credentials& credentials) {
  const Result<Security> security = credentials.settled();
  if (!security) return security.error();
  if (*security == Security::tls) return no_tls();
  if (*security == Security::secret) link.secret = credentials.secret;
  return {};
}

Result<void> protect(server::ServeOptions& serving, const Credentials& credentials) {
  const Result<Security> security = credentials.settled();
  if (!security) return security.error();
  if (*security == Security::tls) return no_tls();
  if (*security == Security::secret) serving.core.secret = credentials.secret;
  return {};
}

}  // namespace muster
