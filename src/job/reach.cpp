#include <fmt/format.h>

#include <muster/job.hpp>

#include "base/host.hpp"
#include "base/standard_descriptors.hpp"
#include "base/usage_error.hpp"
#include "client/driver/link.hpp"
#include "job/job_impl.hpp"
#include "job/protect.hpp"
#include "net/url.hpp"
#include "store/remote_store.hpp"
#include "store/version0_store.hpp"
#include "wire/status_messages.hpp"

namespace muster {
namespace {

constexpr std::chrono::seconds reach_time{30};

Result<std::shared_ptr<client::Caller>> connect_tool(const Result<net::Url>& url,
                                                     const Credentials& credentials,
                                                     TimePoint deadline) {
  if (!url) return url.error();
  hold_standard_descriptors();
  client::LinkOptions options;
  if (Result<void> sworn = protect(options, credentials); !sworn) return std::move(sworn).error();
  options.hello.role = wire::Role::tool;
  options.hello.host = host_name();
  options.hello.pid = process_id();
  return client::connect_link(*url, std::move(options), deadline);
}

}  // namespace

Result<JobStatus> ask_status(client::Caller& caller, TimePoint deadline) {
  JobStatus status;
  wire::StatusRequest page;
  for (;;) {
    auto answer = client::call(caller, client::frame(wire::Type::status, page), deadline);
    if (!answer) return std::move(answer).error();
    auto got = wire::decode_status(*answer);
    if (!got) {
      return Error{.code = Code::protocol,
                   .phase = Phase::operation,
                   .what = "the server's answer is not a status",
                   .advice = "check that the server runs the same release",
                   .remote = caller.session().remote};
    }
    const bool last = got->rows.size() < page.rows_max;
    if (page.first_rank == 0) {
      status = *std::move(got);
    } else {
      status.rows.insert(status.rows.end(), got->rows.begin(), got->rows.end());
    }
    if (last) return status;
    page.first_rank += page.rows_max;
  }
}

Result<std::unique_ptr<Store>> connect_store(std::string_view url, Deadline deadline,
                                             const Credentials& credentials) {
  const TimePoint end = deadline.resolve(Clock::now(), reach_time);
  const Result<net::Url> parsed = net::Url::parse_for_store(url);
  if (parsed && parsed->version0 && *credentials.settled() != Security::none) {
    return usage_error(fmt::format("{} asks for version 0, which protects nothing, and credentials "
                                   "were given",
                                   parsed->text()),
                       "leave ?wire=0 out: a protected job does not speak version 0");
  }
  auto caller = connect_tool(parsed, credentials, end);
  if (!caller) return std::move(caller).error();
  const bool version0 = (*caller)->session().version0;
  return version0 ? make_version0_store(*std::move(caller)) : make_remote_store(*std::move(caller));
}

Result<JobStatus> query_status(std::string_view url, Deadline deadline,
                               const Credentials& credentials) {
  const TimePoint end = deadline.resolve(Clock::now(), reach_time);
  auto caller = connect_tool(net::Url::parse(url), credentials, end);
  if (!caller) return std::move(caller).error();
  return ask_status(**caller, end);
}

}  // namespace muster
