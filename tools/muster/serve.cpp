#include "serve.hpp"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "base/usage_error.hpp"
#include "job_host.hpp"
#include "net/activation.hpp"
#include "net/address.hpp"
#include "net/advertise.hpp"
#include "net/listen.hpp"
#include "serving.hpp"
#include "signals.hpp"

namespace muster::tool {
namespace {

/// For the look-up of an address of this very host, during which no signal is seen.
constexpr auto name_time = std::chrono::seconds{3};

constexpr const char* footer = R"(
The first line on the standard output is the URL that ranks put into MUSTER_URL, with the port that
the system picked for port 0; they also need MUSTER_SERVE=external, MUSTER_SIZE, and MUSTER_RANK: a
number, or any for one that nobody claims. MUSTER_SECRET_FILE, MUSTER_TLS_* and MUSTER_SECURITY
protect the job: server, ranks and tools need the same.

Examples:
  muster serve tcp://10.0.0.5:4711 --size 16
  muster serve unix:///run/user/1000/job --job demo --keep

Exit codes:
  0    every rank has left
  1    the job failed (70 if its ranks do not agree), or it could not be served
  2    usage
  128 + signal, if a signal ended it (130: Ctrl-C)
)";

struct ServeCommand {
  std::string url;
  std::uint32_t size = 0;
  JobNames names;
  JobRules rules;
  std::string advertise;
  bool keep = false;
};

/// What to listen with, and what to tell of it.
struct Listening {
  net::Fd socket;
  net::Url bound;
  net::Url told;
  bool handed_over = false;
};

Result<net::Fd> bind(const std::string& url) {
  const auto parsed = net::Url::parse(url);
  if (!parsed) return parsed.error();
  return net::listen(*parsed, Clock::now() + name_time);
}

Result<Listening> listen(const ServeCommand& options) {
  const auto handed_over = net::activated_socket();
  if (!handed_over) return handed_over.error();
  if (options.url.empty() != handed_over->has_value()) {
    return Error{.code = Code::invalid_argument,
                 .what = options.url.empty() ? "no URL, and no socket by LISTEN_FDS"
                                             : fmt::format("the URL {}, and a socket by LISTEN_FDS",
                                                           muster::quoted(options.url)),
                 .advice = "give one of them: where to listen, or what listens already"};
  }
  Listening listening{.handed_over = handed_over->has_value()};
  if (listening.handed_over) {
    listening.socket.reset(**handed_over);
  } else {
    auto socket = bind(options.url);
    if (!socket) return socket.error();
    listening.socket = *std::move(socket);
  }
  auto bound = net::bound_url(listening.socket.get());
  if (!bound) return bound.error();
  auto told = net::advertised(*bound, options.advertise);
  if (!told) return named("--advertise (MUSTER_ADVERTISE)", std::move(told).error());
  listening.bound = *std::move(bound);
  listening.told = *std::move(told);
  return listening;
}

int serve(ServeCommand options) {
  options.names.or_environment();
  if (options.advertise.empty()) options.advertise = from_environment("MUSTER_ADVERTISE");
  auto log = log_from_environment(LogLevel::warning);
  if (!log) return complain(log.error());
  if (!credentials()) return complain(credentials().error());
  auto signals = Signals::take();
  if (!signals) return complain(signals.error());
  auto listening = listen(options);
  if (!listening) return complain(listening.error());
  JobHost host({.command = "muster serve",
                .listener = std::move(listening->socket),
                .keeps_socket_file = listening->handed_over,
                .url = listening->bound.text(),
                .credentials = *credentials(),
                .log = *std::move(log),
                .announcement = listening->told.text()},
               *std::move(signals));
  while (true) {
    const auto core = core_options(options.names, options.rules, options.size);
    if (!core) return complain(core.error());
    const auto outcome = host.serve_one(*core);
    if (!outcome) return complain(outcome.error());
    if (!options.keep || outcome->signal) return exit_code(*outcome);
  }
}

}  // namespace

void add_serve(CLI::App& app, Command& command) {
  auto options = std::make_shared<ServeCommand>();
  CLI::App* sub = app.add_subcommand("serve", "Serve a job whose ranks are started elsewhere");
  sub->footer(footer);
  sub->add_option("url", options->url,
                  "Where to listen: tcp://host:port, tcp6://[address]:port, unix:///path; left out "
                  "where systemd hands a socket over (LISTEN_FDS)")
      ->type_name("URL");
  add_size(*sub, options->size);
  options->names.add_to(*sub);
  sub->add_option("--advertise", options->advertise,
                  "What the ranks are told instead of the address that is bound (MUSTER_ADVERTISE)")
      ->type_name("HOST[:PORT]");
  options->rules.add_to(*sub);
  sub->add_flag("--keep", options->keep,
                "When the job has ended, clear everything and wait for the next");
  sub->callback([options, &command] {
    const bool handed_over = !from_environment("LISTEN_FDS").empty();
    if (options->url.empty() && !handed_over) throw CLI::RequiredError("url");
    command = [options] { return serve(*options); };
  });
}

}  // namespace muster::tool
