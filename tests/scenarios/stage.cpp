#include "stage.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "store_words.hpp"
#include "wire/group_messages.hpp"
#include "wire/hello.hpp"
#include "wire/notices.hpp"
#include "wire/round_messages.hpp"
#include "wire/status_messages.hpp"

namespace muster::scenarios {
namespace {

using std::chrono::milliseconds;

std::uint32_t wire_ms(milliseconds time) {
  return static_cast<std::uint32_t>(time.count());
}

Kind to_kind(const std::string& text) {
  for (int number = 1; number <= 8; ++number) {
    if (text == name(static_cast<Kind>(number))) return static_cast<Kind>(number);
  }
  throw Mistake("no kind of collective: " + text);
}

/// A digest that begins with the text: enough to tell two apart.
Digest to_token(const std::string& text) {
  Digest token{};
  std::transform(text.begin(), text.begin() + std::min<std::ptrdiff_t>(text.size(), 32),
                 token.begin(), [](char c) { return static_cast<std::byte>(c); });
  return token;
}

/// "a,,ccc": what a scatter's root, or a rank of an alltoall, brings: a part for each rank.
std::string to_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(to_payload(text.substr(at, end - at)));
    at = end + 1;
  }
  std::vector<Bytes> bytes;
  for (const std::string& part : parts) bytes.push_back(as_bytes(part));
  Value body;
  wire::encode_verdict(bytes, body);
  return std::string(as_text(body));
}

/// "3,0,1", in that order.
std::vector<std::uint32_t> to_list(std::string_view text) {
  std::vector<std::uint32_t> list;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    list.push_back(static_cast<std::uint32_t>(to_number(text.substr(at, end - at))));
    at = end + 1;
  }
  return list;
}

std::vector<wire::RankRange> to_ranges(const std::vector<std::uint32_t>& ranks) {
  std::vector<wire::RankRange> ranges;
  for (const std::uint32_t rank : ranks) {
    if (!ranges.empty() && ranges.back().first + ranges.back().count == rank) {
      ++ranges.back().count;
    } else {
      ranges.push_back({rank, 1});
    }
  }
  return ranges;
}

}  // namespace

std::string Stage::play(const std::string& line) {
  const Words words(line);
  const std::string& verb = words.verb();
  if (verb == "core") return make_core(words), "";
  if (!core_) throw Mistake("the first command makes the core");
  if (verb == "muster") return muster(static_cast<std::uint32_t>(to_number(words.at(0))));
  if (verb == "tick") return pass_time(to_time(words.at(0)), true);
  if (verb == "sleep") return pass_time(to_time(words.at(0)), false);
  if (verb == "doom") {
    return step(server::Doom{Failure{.code = Code::rank_failed, .reason = words.rest(0)}});
  }
  if (verb == "stop") return step(server::Stop{});
  if (verb == "crowded") return step(server::Crowded{});
  if (verb == "items") return show_items();
  if (verb == "roster") return show_status(core_->status(now_)) + "\n";
  if (verb == "casualty") {
    const auto row = core_->first_casualty();
    return row ? fmt::format("{}: {}\n", row->who.text(), name(row->state)) : "none\n";
  }
  return link_command(words);
}

void Stage::make_core(const Words& words) {
  server::CoreOptions options;
  options.job = words.text("job", "demo");
  options.incarnation.number = words.number("incarnation", 7);
  options.epoch.bytes[0] = static_cast<std::byte>(words.number("epoch", 1));
  options.size = static_cast<std::uint32_t>(words.number("size", 0));
  options.server_rank = static_cast<std::uint32_t>(words.number("server_rank", no_rank));
  options.host = words.text("host", "s");
  options.pid = static_cast<std::uint32_t>(words.number("pid", 1));
  options.on_loss =
      words.text("on_loss") == "notify" ? server::OnLoss::notify : server::OnLoss::fail_job;
  options.round_bytes_max = words.number("round_bytes", limits::round_bytes_max);
  options.table_bytes_max = words.number("table_bytes", limits::table_bytes_max);
  options.heartbeat = words.time("heartbeat", milliseconds{0});
  beats_ = words.has("heartbeat");
  show_debug_ = words.text("log") == "debug";
  transcript_ = {};
  clients_.clear();
  core_ = std::make_unique<server::Core>(options, random_, now_);
}

/// Links 1 to `size` become ranks 0 to `size` - 1, without a word.
std::string Stage::muster(std::uint32_t size) {
  for (std::uint32_t link = 1; link <= size; ++link) {
    play(fmt::format("open {} 10.0.0.{}:5", link, link));
    play(fmt::format("hello {} rank={} size={} host=h{}", link, link - 1, size, link - 1));
  }
  if (core_->status(now_).stage != JobStatus::Stage::running) throw Mistake("it did not muster");
  return "";
}

std::string Stage::step(const server::Event& event) {
  actions_.clear();
  core_->step(event, now_, actions_);
  return transcript_.show(actions_, show_debug_);
}

std::string Stage::receive(server::LinkId link, Bytes bytes) {
  std::string text = step(server::Received{link, bytes});
  while (actions_.untaken != 0) {
    text += "another step:\n" + step(server::Received{link, bytes.last(actions_.untaken)});
  }
  return text;
}

/// With ticks: as a driver does it, each exactly when it is due.
std::string Stage::pass_time(milliseconds time, bool with_ticks) {
  const TimePoint end = now_ + time;
  std::string text;
  while (with_ticks) {
    const auto due = core_->next_deadline();
    if (!due || *due > end) break;
    now_ = std::max(now_, *due);
    const std::string done = step(server::Tick{});
    if (done.empty()) throw Mistake("a tick was due, and nothing came of it");
    text +=
        fmt::format("at {:.3f} s\n{}", std::chrono::duration<double>(now_ - start_).count(), done);
  }
  now_ = end;
  return text;
}

std::string Stage::link_command(const Words& words) {
  const server::LinkId link = to_number(words.at(0));
  if (words.verb() == "open") {
    clients_[link] = {};
    return step(server::Opened{link, words.at(1)});
  }
  if (!clients_.contains(link)) throw Mistake("no such link: " + words.at(0));
  if (words.verb() == "close") {
    transcript_.gone(link);
    return step(server::Closed{link, words.rest(1)});
  }
  if (words.verb() == "hello") return hello(link, words);
  if (words.verb() == "bytes") return raw_bytes(link, words);
  if (words.verb() == "arrive") return arrive(link, words);
  return request(link, words);
}

std::string Stage::hello(server::LinkId link, const Words& words) {
  wire::ClientHello hello;
  Client& client = clients_[link];
  client.ranks = to_ranks(words.text("rank"));
  hello.ranks = to_ranges(client.ranks);
  const std::string role = words.text("role");
  hello.role = role == "tool"       ? wire::Role::tool
               : role == "assigned" ? wire::Role::assigned
                                    : wire::Role::rank;
  hello.version_min = static_cast<std::uint16_t>(words.number("version", wire::version));
  hello.version_max = hello.version_min;
  hello.incarnation.number = words.number("incarnation", 0);
  if (words.has("epoch")) {
    hello.epoch.emplace().bytes[0] = static_cast<std::byte>(words.number("epoch", 0));
  }
  if (words.number("beats", beats_ ? 1 : 0) != 0) hello.features |= wire::feature_beats;
  if (words.number("seekers", 0) != 0) hello.features |= wire::feature_seekers;
  hello.size = static_cast<std::uint32_t>(words.number("size", 0));
  hello.host = words.text("host", "h" + words.text("rank"));
  hello.pid = static_cast<std::uint32_t>(words.number("pid", 10 + link));
  hello.left_ms = wire_ms(words.time("left", milliseconds{10'000}));
  hello.job = words.text("job");
  if (const auto again = words.option("and")) hello.ranks.push_back(to_ranges(to_ranks(*again))[0]);

  const Value whole = wire::encode(hello);
  const std::size_t from = words.number("from", 0);
  const std::size_t until = words.number("until", whole.size());
  return receive(link, Bytes(whole).subspan(from, until - from));
}

std::string Stage::raw_bytes(server::LinkId link, const Words& words) {
  std::string bytes = to_payload(words.text("text"));
  const std::string hex = words.text("hex");
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return receive(link, as_bytes(bytes));
}

std::string Stage::arrive(server::LinkId link, const Words& words) {
  const std::string label = to_payload(words.text("label", "empty"));
  wire::Arrive arrive;
  arrive.kind = to_kind(words.at(1));
  arrive.group = words.number("group", wire::world_group);
  arrive.sequence = words.number("round", 1);
  arrive.root = static_cast<std::uint32_t>(words.number("root", 0));
  arrive.left_ms = wire_ms(words.time("left", milliseconds{2000}));
  arrive.label = label;
  arrive.token = to_token(words.text("token"));
  const auto ranks = words.has("rank") ? to_ranks(words.text("rank")) : clients_[link].ranks;
  std::vector<std::string> payloads;
  for (const std::uint32_t rank : ranks) {
    payloads.push_back(
        to_payload(words.text(fmt::format("payload{}", rank), words.text("payload", "empty"))));
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool deals = arrive.kind == Kind::alltoall || ranks[i] == words.number("by", arrive.root);
    if (deals && words.has("parts")) payloads[i] = to_parts(words.text("parts"));
    arrive.parts.push_back({ranks[i], as_bytes(payloads[i])});
  }
  return ask(link, wire::Type::arrive, arrive);
}

std::string Stage::request(server::LinkId link, const Words& words) {
  const std::string& verb = words.verb();
  if (const auto message = store_message(words)) return ask_raw(link, message->type, message->body);
  if (verb == "status") {
    return ask(link, wire::Type::status,
               wire::StatusRequest{static_cast<std::uint32_t>(words.number("first", 0)),
                                   static_cast<std::uint32_t>(words.number("rows", 4096))});
  }
  if (verb == "fail") {
    const std::string reason = words.rest(1);
    return ask(link, wire::Type::fail,
               wire::FailRequest{static_cast<std::int32_t>(words.number("code", 1)), reason});
  }
  if (verb == "leave") {
    return ask(
        link, wire::Type::leave,
        wire::LeaveRequest{wire_ms(words.time("wait", milliseconds{0})), !words.has("wait")});
  }
  if (verb == "open_group") {
    return ask(link, wire::Type::open_group,
               wire::OpenGroup{to_number(words.at(1)), to_list(words.at(2))});
  }
  if (verb == "close_group") {
    return ask(
        link, wire::Type::close_group,
        wire::CloseGroup{to_number(words.at(1)),
                         words.has("rank") ? to_ranks(words.text("rank")) : clients_[link].ranks});
  }
  if (verb == "beat") {
    Value frame;
    wire::end_frame(frame, wire::begin_frame(frame), wire::Type::beat, 0);
    return receive(link, frame);
  }
  if (verb == "message") {
    return ask_raw(link, static_cast<wire::Type>(words.number("type", 0)),
                   as_bytes(words.text("body")));
  }
  throw Mistake("no such command: " + verb);
}

template <class Message>
std::string Stage::ask(server::LinkId link, wire::Type type, const Message& message) {
  Value body;
  encode(message, body);
  return ask_raw(link, type, body);
}

std::string Stage::ask_raw(server::LinkId link, wire::Type type, Bytes body) {
  const std::uint32_t sequence = clients_[link].next_sequence++;
  Value out;
  const std::size_t begun = wire::begin_frame(out);
  out.insert(out.end(), body.begin(), body.end());
  wire::end_frame(out, begun, type, sequence);
  transcript_.asked(link, sequence);
  return receive(link, out);
}

std::string Stage::show_items() const {
  const auto due = core_->next_deadline();
  const std::string next =
      due ? fmt::format("{:.3f} s", std::chrono::duration<double>(*due - start_).count()) : "never";
  return fmt::format("{} held, {} unanswered, next deadline {}\n", core_->open_items(),
                     transcript_.unanswered(), next);
}

}  // namespace muster::scenarios
