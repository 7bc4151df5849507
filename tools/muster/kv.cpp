#include "kv.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include <muster/job.hpp>

#include "address.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "exit_codes.hpp"
#include "seconds.hpp"
#include "serving.hpp"

namespace muster::tool {
namespace {

constexpr const char* footer = R"(
set KEY VALUE   stores the value; with - as VALUE it is read from the standard input
get KEY         prints the value, byte for byte; with --wait S waits for the key for S seconds
add KEY N       adds N to the decimal number under the key (absent: 0) and prints the sum
rm KEY          removes the key

JOB is a URL, a job file, or the name of a live job of this user. A VALUE that begins with - and is
no number goes behind --: muster kv JOB set KEY -- -x

Examples:
  muster kv tcp://10.0.0.5:4711 set stop yes
  muster kv demo get addr/3 --wait 30
  muster kv demo set weights - < weights.bin

Exit codes: 0; 1 no such key, or the operation failed; 2 usage
)";

struct KvOptions {
  std::string job;
  std::string operation;
  std::string key;
  std::optional<std::string> value;
  std::optional<std::string> wait;
};

constexpr auto operation_time = std::chrono::seconds{10};

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

int no_such_key(const std::string& key) {
  fmt::print(stderr, "muster: no such key: {}\n", muster::quoted(key));
  return exit_failed;
}

int get(Store& store, const KvOptions& options) {
  const auto value = options.wait
                         ? store.wait_get(options.key, Deadline::in(*parse_seconds(*options.wait)))
                         : store.get(options.key, Deadline::in(operation_time));
  if (!value && value.error().code == Code::not_found) return no_such_key(options.key);
  if (!value) return complain(value.error());
  const bool written = std::fwrite(value->data(), 1, value->size(), stdout) == value->size();
  return written && std::fflush(stdout) == 0 ? exit_ok : exit_failed;
}

/// The standard input as a whole; a little more than the limit is enough for the store to refuse
/// it.
bool read_all(std::string& value) {
  value.clear();
  char part[65536];
  while (value.size() <= limits::value_bytes_max) {
    const std::size_t got = std::fread(part, 1, sizeof part, stdin);
    value.append(part, got);
    if (got < sizeof part) return std::ferror(stdin) == 0;
  }
  return true;
}

int set(Store& store, const KvOptions& options) {
  std::string value = *options.value;
  if (value == "-" && !read_all(value)) {
    fmt::print(stderr, "muster: cannot read the value from the standard input: {}\n",
               std::strerror(errno));
    return exit_failed;
  }
  const auto done = store.set(options.key, as_bytes(value), Deadline::in(operation_time));
  return done ? exit_ok : complain(done.error());
}

int add(Store& store, const KvOptions& options) {
  const auto sum =
      store.add(options.key, *parse_number(*options.value), Deadline::in(operation_time));
  if (!sum) {
    complain(sum.error());
    return exit_failed;  // N was checked before: it is the stored value that is no number
  }
  fmt::print("{}\n", *sum);
  return exit_ok;
}

int remove(Store& store, const KvOptions& options) {
  const auto removed = store.remove(options.key, Deadline::in(operation_time));
  if (!removed) return complain(removed.error());
  return *removed ? exit_ok : no_such_key(options.key);
}

int kv(const KvOptions& options) {
  const auto url = find_url(options.job);
  if (!url) return complain(url.error());
  auto store = connect_store(*url, Deadline::in(operation_time));
  if (!store) return complain(store.error());
  if (options.operation == "get") return get(**store, options);
  if (options.operation == "set") return set(**store, options);
  if (options.operation == "add") return add(**store, options);
  return remove(**store, options);
}

/// CLI11 takes "-7" for an option that it does not know, and "--" for a word of ours.
void take_negative_number(KvOptions& options, std::vector<std::string> unknown) {
  std::erase(unknown, "--");
  if (unknown.empty()) return;
  if (options.value || unknown.size() > 1 || !parse_number(unknown.front())) {
    throw CLI::ExtrasError(unknown);
  }
  options.value = unknown.front();
}

/// What CLI11 cannot see: which operation takes what.
void check(const KvOptions& options) {
  const bool takes_value = options.operation == "set" || options.operation == "add";
  if (takes_value != options.value.has_value()) {
    throw CLI::ValidationError(
        fmt::format("{} takes {}", options.operation, takes_value ? "a KEY and a VALUE" : "a KEY"));
  }
  if (options.operation == "add" && !parse_number(*options.value)) {
    throw CLI::ValidationError("add takes a whole number of 64 bits, not " +
                               muster::quoted(*options.value));
  }
  if (options.wait && options.operation != "get") {
    throw CLI::ValidationError("--wait is for get");
  }
}

}  // namespace

void add_kv(CLI::App& app, Command& command) {
  auto options = std::make_shared<KvOptions>();
  CLI::App* sub = app.add_subcommand("kv", "Read and write a job's store");
  sub->footer(footer);
  sub->add_option("job", options->job, "A URL, a job file, or the name of a live job")
      ->required()
      ->type_name("JOB");
  sub->add_option("operation", options->operation, "set, get, add or rm")
      ->required()
      ->type_name("OPERATION")
      ->check(CLI::IsMember({"set", "get", "add", "rm"}).description(""));
  sub->add_option("key", options->key, "1 to 1,024 bytes")->required()->type_name("KEY");
  sub->add_option("value", options->value, "For set and add")->type_name("VALUE");
  sub->add_option("--wait", options->wait, "get: wait so long for the key")
      ->type_name("SECONDS")
      ->check(seconds());
  sub->allow_extras();
  sub->callback([options, sub, &command] {
    take_negative_number(*options, sub->remaining());
    check(*options);
    command = [options] { return kv(*options); };
  });
}

}  // namespace muster::tool
