#include "status.hpp"

#include <fmt/format.h>
#include <memory>

#include <muster/job.hpp>

#include "address.hpp"
#include "exit_codes.hpp"
#include "job_file.hpp"
#include "seconds.hpp"
#include "serving.hpp"
#include "standard_output.hpp"
#include "status_text.hpp"

namespace muster::tool {
namespace {

constexpr const char* footer = R"(
Without JOB: MUSTER_URL, else this user's only live job on this machine; with several of them, lists
them. Works while a job is still gathering, and takes no part in it.

--json prints one object: job, url, incarnation, stage (gathering, running, leaving, ended, doomed),
size, joined, keys, age_ms, failure (null or code, reason, advice, exit_code, who), ranks (rank,
host, pid, detail, state, since_ms, waiting_in), rounds (group, sequence, what, arrived, age_ms,
missing), seeking (how many wait to be given a rank), seekers (host, pid, since_ms).

A job that has a secret or is served over TLS is reached with MUSTER_SECRET_FILE, MUSTER_TLS_* and
MUSTER_SECURITY, as its ranks reach it.

Examples:
  muster status
  muster status tcp://10.0.0.5:4711
  muster status demo --json | jq '.rounds[].missing'

Exit codes: 0 the server answered; 1 it did not, or there is no job; 2 usage
)";

struct StatusOptions {
  std::string job;
  std::string uid_file;
  std::string timeout = "10";
  bool json = false;
};

int list(const std::vector<JobFile>& jobs) {
  for (const auto& file : jobs) put(fmt::format("{}  pid {}  {}\n", file.job, file.pid, file.url));
  return exit_ok;
}

int status(const StatusOptions& options) {
  if (!is_said(options.job, options.uid_file)) {
    const auto jobs = live_jobs();
    if (jobs.size() > 1) return list(jobs);
  }
  const auto job = find_job(options.job, options.uid_file);
  if (!job) return complain(job.error());
  const auto got =
      query_status(job->url, Deadline::in(*parse_seconds(options.timeout)), job->credentials);
  if (!got) return complain(got.error());
  const std::string text = options.json ? status_json(*got, job->url) : status_text(*got);
  put(text);
  return exit_ok;
}

}  // namespace

void add_status(CLI::App& app, Command& command) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App* sub = app.add_subcommand("status", "Show who is in a job and what it waits for");
  sub->footer(footer);
  sub->add_option("job", options->job,
                  "A URL, a job file, a unique id's file, or the name of a live job")
      ->type_name("JOB");
  sub->add_option("--uid-file", options->uid_file, "The job's unique id (MUSTER_UID_FILE)")
      ->type_name("FILE");
  sub->add_flag("--json", options->json, "For programs");
  sub->add_option("--timeout", options->timeout, "How long to wait for the server")
      ->type_name("SECONDS")
      ->check(seconds())
      ->capture_default_str();
  sub->callback([options, &command] { command = [options] { return status(*options); }; });
}

}  // namespace muster::tool
