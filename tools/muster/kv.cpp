#include "kv.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include <muster/job.hpp>

#include "address.hpp"
#include "base/integer.hpp"
#include "base/text.hpp"
#include "kv_operations.hpp"
#include "seconds.hpp"
#include "serving.hpp"

namespace muster::tool {
namespace {

constexpr const char* footer = R"(
set KEY VALUE           stores the value
get KEY                 prints the value, byte for byte; with --wait S waits for the key so long
add KEY N               adds N to the decimal number under the key (absent: 0); prints the sum
append KEY VALUE        puts the value behind what is there; prints the new length
cas KEY EXPECTED VALUE  stores the value if what is there is EXPECTED; fails otherwise
cas KEY --absent VALUE  stores the value if there is no such key
rm KEY                  removes the key
wait KEY...             returns when all keys are there, at most after --wait S (10)
mget KEY...             prints KEY, a tab and the value of each, all of one moment
mset KEY VALUE ...      stores all pairs, or none
ls [PREFIX]             prints the keys that begin with PREFIX, sorted, one a line
watch [PREFIX]          prints each change as it happens, "set", KEY, VALUE or "removed", KEY with
                        tabs between, until interrupted or after --count N changes

Connecting and the operation have 10 s each, unless --wait says otherwise.

JOB is a URL, the path of a job file or of a unique id's file (it holds a /), or the name of a live
job of this user; tcp://...?wire=0 is a store of the older protocol. With - as VALUE, set and append
read it from the standard input. A VALUE that begins with - and is no number goes behind --:
muster kv JOB set KEY -- -x

A job that has a secret or is served over TLS is reached with MUSTER_SECRET_FILE, MUSTER_TLS_* and
MUSTER_SECURITY, as its ranks reach it.

Examples:
  muster kv tcp://10.0.0.5:4711 set stop yes
  muster kv demo get addr/3 --wait 30
  muster kv demo set weights - < weights.bin
  muster kv demo watch progress/

Exit codes: 0; 1 no such key, not swapped, or the operation failed; 2 usage
)";

struct KvOptions {
  std::string job;
  std::string operation;
  std::string uid_file;
  /// Not one list: behind the first word of a list CLI11 2.1 does not understand "--".
  std::array<std::optional<std::string>, 3> first;
  std::vector<std::string> more;
  std::optional<std::string> wait;
  KvArguments arguments;
};

const KvOperation& find(const std::string& name) {
  return *std::ranges::find(kv_operations(), name, &KvOperation::name);
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const KvOperation& each : kv_operations()) names.emplace_back(each.name);
  return names;
}

int kv(const KvOptions& options) {
  const auto job = find_job(options.job, options.uid_file);
  if (!job) return complain(job.error());
  auto store = connect_store(job->url, Deadline::in(std::chrono::seconds{10}), job->credentials);
  if (!store) return complain(store.error());
  return find(options.operation).run(**store, options.arguments);
}

/// All words in their order. CLI11 takes "-7" for an option that it does not know.
std::vector<std::string> words_of(const KvOptions& options, std::vector<std::string> unknown) {
  std::vector<std::string> words;
  for (const auto& word : options.first) {
    if (word) words.push_back(*word);
  }
  words.insert(words.end(), options.more.begin(), options.more.end());
  std::erase(unknown, "--");
  for (const std::string& word : unknown) {
    if (!muster::parse_integer(word)) throw CLI::ExtrasError(unknown);
    words.push_back(word);
  }
  return words;
}

/// What CLI11 cannot see: which operation takes what.
void check(const KvOptions& options) {
  const KvOperation& operation = find(options.operation);
  const KvArguments& given = options.arguments;
  const auto only_for = [&](bool is_given, std::string_view option) {
    if (!is_given || operation.options.find(option) != std::string_view::npos) return;
    throw CLI::ValidationError(fmt::format("--{} is not for {}", option, operation.name));
  };
  only_for(given.wait.has_value(), "wait");
  only_for(given.count.has_value(), "count");
  only_for(given.absent, "absent");
  only_for(given.null, "null");
  const std::size_t words = given.words.size();
  const bool fits = words >= operation.words_min && words <= operation.words_max &&
                    (operation.name != "mset" || words % 2 == 0) &&
                    (operation.name != "cas" || words == (given.absent ? 2U : 3U));
  if (!fits) {
    throw CLI::ValidationError(fmt::format("{} takes {}", operation.name, operation.usage));
  }
  if (operation.name == "add" && !muster::parse_integer(given.words[1])) {
    throw CLI::ValidationError("add takes a whole number of 64 bits, not " +
                               muster::quoted(given.words[1]));
  }
}

}  // namespace

void add_kv(CLI::App& app, Command& command) {
  auto options = std::make_shared<KvOptions>();
  CLI::App* sub = app.add_subcommand("kv", "Read and write a job's store");
  sub->footer(footer);
  sub->add_option("job", options->job,
                  "A URL, a job file, a unique id's file, or the name of a live job")
      ->required()
      ->type_name("JOB");
  sub->add_option("operation", options->operation, "What to do, see below")
      ->required()
      ->type_name("OPERATION")
      ->check(CLI::IsMember(operation_names()).description(""));
  sub->add_option("key", options->first[0], "1 to 1,024 bytes; or a prefix")->type_name("KEY");
  sub->add_option("value", options->first[1], "0 to 64 MiB")->type_name("VALUE");
  sub->add_option("other", options->first[2], "cas: the new value; or one more key")
      ->type_name("WORD");
  sub->add_option("more", options->more, "More keys, or keys and values")->type_name("WORD");
  sub->add_option("--uid-file", options->uid_file,
                  "The unique id of a job whose URL or name is given (MUSTER_UID_FILE)")
      ->type_name("FILE");
  sub->add_option("--wait", options->wait, "get, wait: wait so long for the keys")
      ->type_name("SECONDS")
      ->check(seconds());
  sub->add_option("--count", options->arguments.count, "watch: end after so many changes")
      ->type_name("N");
  sub->add_flag("--absent", options->arguments.absent, "cas: there must be no such key");
  sub->add_flag("-0,--null", options->arguments.null,
                "ls, mget, watch: lines end in a zero byte, not in a newline");
  sub->allow_extras();
  sub->callback([options, sub, &command] {
    options->arguments.words = words_of(*options, sub->remaining());
    if (options->wait) options->arguments.wait = parse_seconds(*options->wait);
    check(*options);
    command = [options] { return kv(*options); };
  });
}

}  // namespace muster::tool
