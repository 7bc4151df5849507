#include "kv_operations.hpp"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <mutex>

#include "base/integer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "exit_codes.hpp"
#include "serving.hpp"
#include "standard_output.hpp"

namespace muster::tool {
namespace {

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
/// How often a watch makes sure that the server is still there.
constexpr auto watch_period = std::chrono::seconds{1};

Deadline soon() {
  return Deadline::in(std::chrono::seconds{10});
}

int no_such_key(const std::string& key) {
  fmt::print(stderr, "muster: no such key: {}\n", muster::quoted(key));
  return exit_failed;
}

/// Whether all that was put is written; otherwise says why not.
int printed() {
  const auto flushed = flush_output();
  return flushed ? exit_ok : complain(flushed.error());
}

template <class Number>
int print_number(const Result<Number>& number) {
  if (!number) {
    complain(number.error());
    return exit_failed;  // the words were checked before: it is what is stored that does not fit
  }
  put(fmt::format("{}\n", *number));
  return printed();
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

/// A value as it was said; "-" is the standard input.
std::optional<std::string> value_of(std::string word) {
  if (word != "-" || read_all(word)) return word;
  fmt::print(stderr, "muster: cannot read the value from the standard input: {}\n",
             std::strerror(errno));
  return std::nullopt;
}

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

int get(Store& store, const KvArguments& arguments) {
  const auto value = arguments.wait ? store.wait_get(arguments.key(), Deadline::in(*arguments.wait))
                                    : store.get(arguments.key(), soon());
  if (!value && value.error().code == Code::not_found) return no_such_key(arguments.key());
  if (!value) return complain(value.error());
  put(as_text(*value));
  return printed();
}

int set(Store& store, const KvArguments& arguments) {
  const auto value = value_of(arguments.words[1]);
  if (!value) return exit_failed;
  const auto done = store.set(arguments.key(), as_bytes(*value), soon());
  return done ? exit_ok : complain(done.error());
}

int add(Store& store, const KvArguments& arguments) {
  return print_number(
      store.add(arguments.key(), *muster::parse_integer(arguments.words[1]), soon()));
}

int append(Store& store, const KvArguments& arguments) {
  const auto value = value_of(arguments.words[1]);
  if (!value) return exit_failed;
  return print_number(store.append(arguments.key(), as_bytes(*value), soon()));
}

int remove(Store& store, const KvArguments& arguments) {
  const auto removed = store.remove(arguments.key(), soon());
  if (!removed) return complain(removed.error());
  return *removed ? exit_ok : no_such_key(arguments.key());
}

int compare_set(Store& store, const KvArguments& arguments) {
  std::optional<Bytes> expected;
  if (!arguments.absent) expected = as_bytes(arguments.words[1]);
  const auto swap =
      store.compare_set(arguments.key(), expected, as_bytes(arguments.words.back()), soon());
  if (!swap) return complain(swap.error());
  if (swap->swapped) return exit_ok;
  const std::string there = swap->before ? "the value is " + quoted(as_text(*swap->before))
                                         : std::string("there is no such key");
  fmt::print(stderr, "muster: not swapped: {}\n", there);
  return exit_failed;
}

int wait(Store& store, const KvArguments& arguments) {
  const auto deadline = arguments.wait ? Deadline::in(*arguments.wait) : soon();
  const auto there = store.wait(views(arguments.words), deadline);
  return there ? exit_ok : complain(there.error());
}

int multi_get(Store& store, const KvArguments& arguments) {
  const auto values = store.multi_get(views(arguments.words), soon());
  if (!values) return complain(values.error());
  int code = exit_ok;
  for (std::size_t i = 0; i < values->size(); ++i) {
    const auto& value = (*values)[i];
    if (!value) {
      code = no_such_key(arguments.words[i]);
      continue;
    }
    put(fmt::format("{}\t{}{}", arguments.words[i], as_text(*value), arguments.line_end()));
  }
  return printed() == exit_ok ? code : exit_failed;
}

int multi_set(Store& store, const KvArguments& arguments) {
  std::vector<KeyValue> entries;
  for (std::size_t i = 0; i + 1 < arguments.words.size(); i += 2) {
    entries.push_back({arguments.words[i], as_bytes(arguments.words[i + 1])});
  }
  const auto done = store.multi_set(entries, soon());
  return done ? exit_ok : complain(done.error());
}

int list(Store& store, const KvArguments& arguments) {
  const std::string prefix = arguments.words.empty() ? "" : arguments.words.front();
  std::string after;
  for (;;) {
    const auto page = store.list(prefix, after, limits::listed_keys_max, soon());
    if (!page) return complain(page.error());
    for (const std::string& key : page->keys) put(fmt::format("{}{}", key, arguments.line_end()));
    if (!page->more || page->keys.empty()) return printed();
    after = page->keys.back();
  }
}

/// Counts the changes that have been told, and whether the output takes them.
class Told {
 public:
  void tell(const Change& change, char line_end) {
    const std::lock_guard lock(mutex_);
    if (enough()) return;
    put(fmt::format("{}\t{}", change.value ? "set" : "removed", change.key));
    if (change.value) put(fmt::format("\t{}", as_text(*change.value)));
    put({&line_end, 1});
    well_ = printed() == exit_ok && well_;
    ++count_;
    news_.notify_all();
  }
  explicit Told(std::optional<std::uint64_t> most) : most_(most) {}

  /// Whether it is over: enough was told, or nothing can be.
  bool over_within(Duration time) {
    std::unique_lock lock(mutex_);
    return news_.wait_for(lock, time, [this] { return enough(); });
  }
  bool well() {
    const std::lock_guard lock(mutex_);
    return well_;
  }

 private:
  bool enough() const { return !well_ || (most_ && count_ >= *most_); }

  std::optional<std::uint64_t> most_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::uint64_t count_ = 0;
  bool well_ = true;
};

int watch(Store& store, const KvArguments& arguments) {
  Told told(arguments.count);
  const std::string prefix = arguments.words.empty() ? "" : arguments.words.front();
  const char line_end = arguments.line_end();
  const auto watch = store.watch(
      prefix, [&](const Change& change) { told.tell(change, line_end); }, soon());
  if (!watch) return complain(watch.error());
  while (!told.over_within(watch_period)) {
    const auto alive = store.list(prefix, {}, 1, soon());
    if (alive) continue;
    static_cast<void>(store.unwatch(*watch, soon()));
    Error error = alive.error();
    error.what = "the watch has ended: " + error.what;
    return complain(error);
  }
  const auto ended = store.unwatch(*watch, soon());
  return ended && told.well() ? exit_ok : exit_failed;
}

constexpr std::array<KvOperation, 11> operations{{
    {"set", "a KEY and a VALUE", 2, 2, "", set},
    {"get", "a KEY", 1, 1, "wait", get},
    {"add", "a KEY and a number", 2, 2, "", add},
    {"append", "a KEY and a VALUE", 2, 2, "", append},
    {"cas", "a KEY, the EXPECTED and the new VALUE", 2, 3, "absent", compare_set},
    {"rm", "a KEY", 1, 1, "", remove},
    {"wait", "KEYs", 1, any_number, "wait", wait},
    {"mget", "KEYs", 1, any_number, "null", multi_get},
    {"mset", "pairs of KEY and VALUE", 2, any_number, "", multi_set},
    {"ls", "a PREFIX or nothing", 0, 1, "null", list},
    {"watch", "a PREFIX or nothing", 0, 1, "count null", watch},
}};

}  // namespace

std::span<const KvOperation> kv_operations() {
  return operations;
}

}  // namespace muster::tool
