#include "uid.hpp"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <muster/unique_id.hpp>

#include "base/usage_error.hpp"
#include "job/kept_listeners.hpp"
#include "job/use_unique_id.hpp"
#include "job_host.hpp"
#include "net/address.hpp"
#include "serving.hpp"
#include "whole_file.hpp"

namespace muster::tool {
namespace {

constexpr const char* footer = R"(
Makes the unique id of a new job and serves that job, as `muster serve` does. The id holds address,
name and secret of the job: whoever has it can join. With --output it goes into a file that only
this user can read, and the first line on the standard output is the URL; without, the first line is
the id itself. The ranks need it in MUSTER_UID_FILE (or MUSTER_UID, MUSTER_UID_FD), and MUSTER_RANK
and MUSTER_SIZE. The file goes with the job.

Unless --session-id or --ifname say otherwise, the job is served on the address of the interface
that the default route goes through, at a port that the system picks, or one of --port-range.

Examples:
  muster uid --output ~/job.uid --size 16
  muster uid --output job.uid --ifname ib,eth
  muster uid --output job.uid --ifname '^docker:inet6'

Exit codes:
  0    every rank has left
  1    the job failed (70 if its ranks do not agree), or it could not be served
  2    usage, or an interface that does not exist
  128 + signal, if a signal ended it (130: Ctrl-C)
)";

struct UidCommand {
  std::string output;
  std::uint32_t size = 0;
  JobNames names;
  JobRules rules;
  std::string port_range;
  UniqueIdOptions id;
};

/// Resource. The file with the id, removed when this goes, if it still is that one.
class IdFile {
 public:
  IdFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  ~IdFile() {
    const auto found = UniqueId::from_file(path_);
    if (found && found->text() == text_) ::unlink(path_.c_str());
  }
  IdFile(const IdFile&) = delete;
  IdFile& operator=(const IdFile&) = delete;

 private:
  std::string path_;
  std::string text_;
};

Result<std::unique_ptr<IdFile>> write_id(const std::string& path, const UniqueId& id) {
  if (path.empty()) return {nullptr};
  if (auto written = replace_file(path, id.text() + "\n"); !written) {
    return named("--output", written.error());
  }
  return std::make_unique<IdFile>(path, id.text());
}

int uid(UidCommand options) {
  options.names.or_environment();
  auto core = core_options(options.names, options.rules, options.size);
  if (!core) return complain(core.error());
  options.id.job_id = core->job;
  if (!options.port_range.empty()) {
    const auto range = PortRange::parse(options.port_range);
    if (!range) return complain(named("--port-range", range.error()));
    options.id.port_range = *range;
  }
  auto log = log_from_environment(LogLevel::warning);
  if (!log) return complain(log.error());
  if (!credentials()) return complain(credentials().error());
  auto signals = Signals::take();
  if (!signals) return complain(signals.error());
  auto id = UniqueId::create(options.id);
  if (!id) return complain(id.error());
  const auto protection = credentials_with(*id, *credentials());
  if (!protection) return complain(protection.error());

  core->incarnation = id->incarnation();
  core->version0_magic = id->version0_magic();
  const auto file = write_id(options.output, *id);
  if (!file) return complain(file.error());
  net::Fd listener = take_kept_listener(id->incarnation());
  const auto bound = net::bound_url(listener.get());
  if (!bound) return complain(bound.error());
  JobHost host({.command = "muster uid",
                .listener = std::move(listener),
                .url = bound->text(),
                .credentials = *protection,
                .log = *std::move(log),
                .announcement = *file ? id->url() : id->text()},
               *std::move(signals));
  const auto outcome = host.serve_one(*core);
  return outcome ? exit_code(*outcome) : complain(outcome.error());
}

}  // namespace

void add_uid(CLI::App& app, Command& command) {
  auto options = std::make_shared<UidCommand>();
  CLI::App* sub = app.add_subcommand("uid", "Make a unique id and serve its job");
  sub->footer(footer);
  sub->add_option("--output", options->output, "The file to write the id to, mode 0600")
      ->type_name("FILE")
      ->check([](const std::string& path) {
        return path.empty() ? "the path of the file is empty" : "";
      });
  add_size(*sub, options->size);
  sub->add_option("--session-id", options->id.session_id,
                  "Serve exactly there, host:port or [v6]:port (MUSTER_UID_SESSION_ID)")
      ->type_name("HOST:PORT");
  sub->add_option("--ifname", options->id.interfaces,
                  "Interfaces to choose from, as in eth,ib or =eth0 or ^docker, and behind them "
                  "perhaps :inet4 or :inet6 (MUSTER_UID_IFNAME)")
      ->type_name("LIST");
  sub->add_option("--port-range", options->port_range,
                  "Where no port is said, serve at the last of these that is free "
                  "(MUSTER_PORT_RANGE)")
      ->type_name("FIRST:LAST");
  sub->add_flag("--local", options->id.all_local,
                "All ranks run on this host: loopback will do, if there is nothing else");
  sub->add_option("--advertise", options->id.advertise,
                  "What the ranks are told instead of the address that is bound (MUSTER_ADVERTISE)")
      ->type_name("HOST[:PORT]");
  options->names.add_to(*sub);
  options->rules.add_to(*sub);
  sub->callback([options, &command] { command = [options] { return uid(*options); }; });
}

}  // namespace muster::tool
