#include "job/use_unique_id.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/usage_error.hpp"
#include "job/kept_listeners.hpp"
#include "net/url.hpp"

namespace muster {
namespace {

/// Only a URL that is left out gives way to the id: one that is wrong was meant to be used.
Result<void> check_alone(const JoinOptions& options, const UniqueId& id) {
  if (!options.url.empty()) {
    Result<net::Url> url = net::Url::parse(options.url);
    if (!url) return std::move(url).error();
  }
  if (!options.url.empty() && options.url != id.url()) {
    return usage_error(fmt::format("the URL {} is given, and a unique id of a job at {}",
                                   quoted(options.url), id.url()),
                       "leave the URL out: the unique id has the address");
  }
  if (!options.job_id.empty() && options.job_id != id.job_id()) {
    return usage_error(fmt::format("the job id {} is given, and the unique id of job {}",
                                   quoted(options.job_id), id.job_id()),
                       "leave the job id out, or give it where the unique id is made");
  }
  if (options.incarnation && *options.incarnation != id.incarnation()) {
    return usage_error(fmt::format("the incarnation {} is given, and a unique id of incarnation {}",
                                   options.incarnation->text(), id.incarnation().text()),
                       "leave the incarnation out: the unique id has it");
  }
  return {};
}

}  // namespace

bool serves(const JoinOptions& options) {
  return options.serve == Serve::by_rank_0 && options.rank == 0U;
}

Result<Credentials> credentials_with(const UniqueId& id, Credentials given) {
  if (given.secret && !(*given.secret == id.secret())) {
    return usage_error("a secret is given, and a unique id, which has another one",
                       "leave the secret out (MUSTER_SECRET, _FILE, _FD): the unique id has it");
  }
  if (given.security == Security::none || given.certificates) return given;
  given.secret = id.secret();
  if (given.security == Security::automatic) given.security = Security::tls;
  return given;
}

Result<void> use_unique_id(JoinOptions& options, net::Fd& listener) {
  if (!options.unique_id) return {};
  const UniqueId& id = *options.unique_id;
  if (Result<void> alone = check_alone(options, id); !alone) return alone;
  Result<Credentials> protection = credentials_with(id, options.credentials);
  if (!protection) return std::move(protection).error();
  if (serves(options)) {
    net::Fd kept = take_kept_listener(id.incarnation());
    if (!listener) listener = std::move(kept);
    if (!listener) {
      return usage_error(
          fmt::format("rank 0 is to serve job {} by a unique id that was made in another process, "
                      "or that has served already",
                      id.job_id()),
          "make the unique id in rank 0's process, or have `muster uid` serve the job and say "
          "MUSTER_SERVE=external (Serve::external)");
    }
  } else {
    drop_inherited_listener(id.incarnation());
  }
  options.url = id.url();
  options.job_id = id.job_id();
  options.incarnation = id.incarnation();
  options.credentials = *std::move(protection);
  return {};
}

}  // namespace muster
