#include "config.hpp"

#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include <muster/f332.hpp>

#include "base/decimal.hpp"
#include "base/hex.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "exit_codes.hpp"
#include "serving.hpp"
#include "standard_output.hpp"

namespace muster::tool {
namespace {

constexpr const char* footer = R"(
Numbers are decimal: 60, 0.1, 1e-1. Nothing may stand before or behind them, and hexadecimal floats
are refused. Generations run from 1 to 9223372036854775807.

Examples:
  muster config fingerprint --profile f332 --epoch $EPOCH --interval 60 --timeout 5 --jitter 0.1
  muster config token --profile f332 --epoch $EPOCH --generation 1 --fingerprint $HEX
  muster config schedule --profile f332 --epoch $EPOCH --interval 60 --jitter 0.1 --from 1 --to 10

Exit codes: 0; 1 this build computes wrong bits, or the output cannot be written; 2 a value is
refused, and why stands on standard error.
)";

/// As given: every value is checked here and not by CLI11, so that all refusals read alike.
struct Given {
  std::string profile;
  std::string epoch;
  std::string interval;
  std::string timeout;
  std::string jitter;
  std::string generation;
  std::string fingerprint;
  std::string from;
  std::string to;
  bool json = false;
};

Error refuse(std::string_view option, std::string_view given, std::string_view expected) {
  return Error{.code = Code::invalid_argument,
               .what = fmt::format("{} is {}; expected {}", option, quoted(given), expected)};
}

Result<double> parse_real(std::string_view option, std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec == std::errc::result_out_of_range) {
    return refuse(option, text, "a number that binary64 can hold");
  }
  if (parsed.ec != std::errc{} || parsed.ptr != end) {
    return refuse(option, text, "a decimal number, such as 60, 0.1 or 1e-1");
  }
  return value;
}

Result<std::uint64_t> parse_generation(std::string_view option, std::string_view text) {
  constexpr std::uint64_t last = (std::uint64_t{1} << 63) - 1;
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end || value < 1 || value > last) {
    return refuse(option, text, fmt::format("a whole number from 1 to {}", last));
  }
  return value;
}

/// Interval and jitter.
Result<f332::Config> parse_config(const Given& given) {
  const auto interval = parse_real("--interval", given.interval);
  if (!interval) return interval.error();
  const auto jitter = parse_real("--jitter", given.jitter);
  if (!jitter) return jitter.error();
  return f332::Config{.interval = *interval, .jitter = *jitter};
}

std::string json_head(const Given& given) {
  return fmt::format(R"({{"profile":"f332","epoch":"{}")", given.epoch);
}

Result<std::string> fingerprint(const Given& given, const Epoch& epoch) {
  auto config = parse_config(given);
  if (!config) return config.error();
  const auto timeout = parse_real("--timeout", given.timeout);
  if (!timeout) return timeout.error();
  config->timeout = *timeout;
  const auto digest = f332::fingerprint(epoch, *config);
  if (!digest) return digest.error();
  if (!given.json) return to_hex(*digest) + "\n";
  return fmt::format(R"({},"interval":{},"timeout":{},"jitter":{},"fingerprint":"{}"}})"
                     "\n",
                     json_head(given), decimal(config->interval), decimal(config->timeout),
                     decimal(config->jitter), to_hex(*digest));
}

Result<std::string> token(const Given& given, const Epoch& epoch) {
  const auto generation = parse_generation("--generation", given.generation);
  if (!generation) return generation.error();
  Digest fingerprint{};
  if (!from_hex(given.fingerprint, fingerprint)) {
    return refuse("--fingerprint", given.fingerprint, "64 characters of 0-9a-f");
  }
  const auto digest = f332::request_token(epoch, *generation, fingerprint);
  if (!digest) return digest.error();
  if (!given.json) return to_hex(*digest) + "\n";
  return fmt::format(R"({},"generation":{},"fingerprint":"{}","token":"{}"}})"
                     "\n",
                     json_head(given), *generation, to_hex(fingerprint), to_hex(*digest));
}

Result<std::string> schedule(const Given& given, const Epoch& epoch) {
  const auto config = parse_config(given);
  if (!config) return config.error();
  const auto from = parse_generation("--from", given.from);
  if (!from) return from.error();
  const auto to = parse_generation("--to", given.to);
  if (!to) return to.error();
  if (*to < *from || *to - *from >= limits::schedule_rows_max) {
    return refuse("--to", given.to,
                  fmt::format("a generation from {} on, and at most {} of them", *from,
                              limits::schedule_rows_max));
  }
  std::string out;
  if (given.json) {
    out = fmt::format(R"({},"interval":{},"jitter":{},"schedule":[)", json_head(given),
                      decimal(config->interval), decimal(config->jitter));
  }
  for (std::uint64_t generation = *from; generation <= *to; ++generation) {
    const auto delay = f332::delay(epoch, generation, config->interval, config->jitter);
    if (!delay) return delay.error();
    const char* separator = generation == *from ? "" : ",";
    const auto bits = std::bit_cast<std::uint64_t>(*delay);
    if (given.json) {
      fmt::format_to(std::back_inserter(out),
                     R"({}{{"generation":{},"delay":{},"bits":"{:016x}"}})", separator, generation,
                     decimal(*delay), bits);
    } else {
      fmt::format_to(std::back_inserter(out), "{} {} {:016x}\n", generation, decimal(*delay), bits);
    }
  }
  if (given.json) out += "]}\n";
  return out;
}

using Compute = Result<std::string> (*)(const Given&, const Epoch&);

Result<std::string> compute(const Given& given, Compute what) {
  if (given.profile != "f332") return refuse("--profile", given.profile, "f332");
  const auto epoch = Epoch::parse(given.epoch);
  if (!epoch) return epoch.error();
  if (auto tested = f332::self_test(); !tested) return tested.error();
  return what(given, *epoch);
}

int print(const Given& given, Compute what) {
  const auto text = compute(given, what);
  if (!text) return complain(text.error());
  put(*text);
  const auto flushed = flush_output();
  return flushed ? exit_ok : complain(flushed.error());
}

/// What the three have in common.
void finish(CLI::App* sub, Command& command, std::shared_ptr<Given> given, Compute what,
            const char* json_keys) {
  sub->add_option("--profile", given->profile, "Whose formats: f332")->required();
  sub->add_option("--epoch", given->epoch, "The job state, 64 characters of 0-9a-f")
      ->required()
      ->type_name("HEX");
  sub->add_flag("--json", given->json, std::string("Print one JSON object: ") + json_keys);
  sub->callback([=, &command] { command = [=] { return print(*given, what); }; });
}

void add_real(CLI::App* sub, const char* option, std::string& value, const char* meaning) {
  sub->add_option(option, value, meaning)->required()->type_name("X");
}

void add_whole(CLI::App* sub, const char* option, std::string& value, const char* meaning) {
  sub->add_option(option, value, meaning)->required()->type_name("N");
}

}  // namespace

void add_config(CLI::App& app, Command& command) {
  CLI::App* config = app.add_subcommand("config", "Compute fingerprints, tokens and schedules");
  config->require_subcommand(1);
  config->footer(footer);
  auto given = std::make_shared<Given>();

  CLI::App* sub = config->add_subcommand("fingerprint", "The fingerprint of a configuration");
  add_real(sub, "--interval", given->interval, "Seconds between renewals, 0 or more");
  add_real(sub, "--timeout", given->timeout, "Seconds a renewal may take, more than 0");
  add_real(sub, "--jitter", given->jitter, "Fraction of the interval, 0 to 0.5");
  finish(sub, command, given, fingerprint,
         "profile, epoch, interval, timeout, jitter, fingerprint");

  sub = config->add_subcommand("token", "The token that a renewal's request carries");
  add_whole(sub, "--generation", given->generation, "Number of the renewal");
  sub->add_option("--fingerprint", given->fingerprint, "Of the configuration agreed on")
      ->required()
      ->type_name("HEX");
  finish(sub, command, given, token, "profile, epoch, generation, fingerprint, token");

  sub = config->add_subcommand("schedule", "When renewals come: number, delay, its binary64 image");
  add_real(sub, "--interval", given->interval, "Seconds between renewals, 0 or more");
  add_real(sub, "--jitter", given->jitter, "Fraction of the interval, 0 to 0.5");
  add_whole(sub, "--from", given->from, "First renewal");
  add_whole(sub, "--to", given->to, "Last renewal, at most 99,999 later");
  finish(sub, command, given, schedule,
         "profile, epoch, interval, jitter, schedule [generation, delay, bits]");
}

}  // namespace muster::tool
