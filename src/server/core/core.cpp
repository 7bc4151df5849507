#include "server/core/core.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_map>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"
#include "server/core/door.hpp"
#include "server/core/heart.hpp"
#include "server/core/membership.hpp"
#include "server/core/outbox.hpp"
#include "server/core/peer.hpp"
#include "server/core/report.hpp"
#include "server/core/rounds.hpp"
#include "server/core/store_requests.hpp"
#include "server/core/version0.hpp"
#include "server/core/wording.hpp"
#include "wire/status_messages.hpp"

namespace muster::server {

namespace {

/// Of the roster, which a status goes through.
constexpr std::size_t rows_a_unit = 128;

/// A verdict has to fit a frame, whatever the owner wants.
CoreOptions within_limits(CoreOptions options) {
  options.round_bytes_max = std::min(options.round_bytes_max, limits::value_bytes_max);
  if (options.secret || options.tls) options.version0 = false;
  return options;
}

}  // namespace

struct Core::Impl {
  Impl(CoreOptions given, Random& random, TimePoint now)
      : options(within_limits(std::move(given))),
        store(options.table_bytes_max),
        rounds(options.round_bytes_max),
        members(options, rounds, store, now),
        report(options, members, rounds, store, now),
        heart(options.heartbeat),
        door(options, random, members, heart) {}

  using Peers = std::unordered_map<LinkId, Peer>;

  void on(const Opened& event, TimePoint now, Outbox& out);
  void on(const Vouched& event, TimePoint now, Outbox& out);
  void on(const Spoke& event, TimePoint now, Outbox& out);
  void on(const Crowded& event, TimePoint now, Outbox& out);
  void on(const Rejected& event, TimePoint now, Outbox& out);
  void on(const Closed& event, TimePoint now, Outbox& out);
  void on(const Received& event, TimePoint now, Outbox& out);
  void on(const Tick& event, TimePoint now, Outbox& out);
  void on(const Doom& event, TimePoint now, Outbox& out);
  void on(const Stop& event, TimePoint now, Outbox& out);

  void drop_stranger(LinkId link, std::string_view why, TimePoint now, Outbox& out);
  void place_seekers(TimePoint now, Outbox& out);
  void dismiss_seekers(Outbox& out);
  void take_frames(LinkId link, Peer& peer, Bytes bytes, TimePoint now, Outbox& out);
  void version0_request(LinkId link, const wire::FrameHeader& header, Bytes body, TimePoint now,
                        Outbox& out);
  void dismiss_version0(const SharedFailure& failure, TimePoint now, Outbox& out);
  void request(const ReplyTo& from, const Peer& peer, Bytes body, TimePoint now, Outbox& out);
  void store_request(const ReplyTo& from, Bytes body, TimePoint now, Outbox& out);
  void rank_request(const ReplyTo& from, const Peer& peer, Bytes body, TimePoint now, Outbox& out);
  void set_owned(const ReplyTo& from, const Peer& peer, Bytes body, Outbox& out);
  void status_request(const ReplyTo& from, const Peer& peer, Bytes body, TimePoint now,
                      Outbox& out);
  void beat(TimePoint now, Outbox& out);
  void give_up(LinkId link, TimePoint now, Outbox& out);
  void forget(Peers::iterator peer, std::string_view why, TimePoint now, Outbox& out);

  CoreOptions options;
  StoreRequests store;
  Rounds rounds;
  Membership members;
  Report report;
  Heart heart;
  Door door;
  Peers peers;
  std::set<LinkId> version0_links;
  TimePoint last_step{};
};

void Core::Impl::on(const Opened& event, TimePoint now, Outbox& out) {
  const auto [peer, fresh] = peers.emplace(event.link, Peer(event.address));
  MUSTER_ASSERT(fresh);
  if (const auto evicted = door.opened(event.link, peer->second, now)) {
    drop_stranger(*evicted, "too many connections are waiting to be admitted", now, out);
  }
}

void Core::Impl::on(const Vouched& event, TimePoint, Outbox&) {
  const auto found = peers.find(event.link);
  if (found != peers.end()) door.vouch(event.link, found->second);
}

void Core::Impl::on(const Spoke& event, TimePoint, Outbox&) {
  door.spoke(event.link);
}

void Core::Impl::on(const Crowded&, TimePoint now, Outbox& out) {
  if (const auto evicted = door.take_one()) {
    drop_stranger(*evicted,
                  "it is not admitted yet, and others find no room: this process may open no more "
                  "files. Raise the limit of open files (ulimit -n)",
                  now, out);
  }
}

void Core::Impl::on(const Rejected& event, TimePoint now, Outbox& out) {
  const auto found = peers.find(event.link);
  if (found == peers.end()) return;
  door.complain(found->second, event.why, now, out);
  forget(found, event.why, now, out);
}

void Core::Impl::on(const Closed& event, TimePoint now, Outbox& out) {
  const auto found = peers.find(event.link);
  if (found == peers.end()) return;
  const Peer& peer = found->second;
  if (peer.asked() && !peer.seeks() && !peer.admitted()) {
    door.complain(peer, "closed without the proof that it was asked for", now, out);
  } else if (!peer.admitted() && !peer.stored().empty()) {
    door.complain(peer, "closed in the middle of its hello", now, out);
  }
  forget(found, event.why, now, out);
}

void Core::Impl::on(const Received& event, TimePoint now, Outbox& out) {
  const auto found = peers.find(event.link);
  if (found == peers.end()) return;
  Peer& peer = found->second;
  Bytes bytes = event.bytes;
  peer.pulse().heard();
  if (!peer.admitted()) {
    Door::Entry entry = door.take(event.link, peer, bytes, now, out);
    const bool goes_on = entry == Door::Entry::waiting && peer.seeks() && !bytes.empty();
    if (goes_on) entry = door.too_early(event.link, peer, now, out);
    if (entry == Door::Entry::turned_away) {
      members.lose_seeker(event.link, "it did not wait for its rank", out);
      peers.erase(found);
    }
    place_seekers(now, out);
    if (entry != Door::Entry::admitted) return;
    if (peer.speaks_version0()) version0_links.insert(event.link);
  }
  take_frames(event.link, peer, bytes, now, out);
}

void Core::Impl::place_seekers(TimePoint now, Outbox& out) {
  for (const Placing::Seeker& each : members.take_placed()) {
    Peer& peer = peers.at(each.link);
    door.welcome(each.link, peer, each.hello, now, out, peer.proof());
  }
}

void Core::Impl::dismiss_seekers(Outbox& out) {
  for (const Placing::Seeker& each : members.take_dismissed()) {
    out.fail({each.link, wire::Type::refused, 0}, members.parting());
    out.close(each.link);
    peers.erase(each.link);
  }
}

void Core::Impl::on(const Tick&, TimePoint now, Outbox& out) {
  const Doing doing = [this](std::uint32_t rank) { return report.doing(rank); };
  for (const LinkId link : door.take_due(now)) {
    drop_stranger(link, "no complete hello in time", now, out);
  }
  rounds.expire(members.roster(), doing, now, out);
  store.expire(members.roster(), now, out);
  members.expire(doing, now, out);
  beat(now, out);
}

/// Says something to all who want signs of life, and gives up who has given none.
void Core::Impl::beat(TimePoint now, Outbox& out) {
  const auto awake = heart.beat(now);
  if (!awake) return;
  std::vector<LinkId> silent;
  for (const LinkId link : heart.links()) {
    if (peers.at(link).pulse().silence(*awake) >= heart.silence_max()) silent.push_back(link);
  }
  for (const LinkId link : silent) give_up(link, now, out);
  out.beat(heart.links());
}

void Core::Impl::give_up(LinkId link, TimePoint now, Outbox& out) {
  const auto found = peers.find(link);
  MUSTER_ASSERT(found != peers.end());
  const std::string why = fmt::format("silent for {} s", to_seconds(heart.silence_max()));
  out.fail({link, wire::Type::server_leaving, 0},
           Failure{.code = Code::server_lost,
                   .reason = fmt::format("the server has given this process up: {}", why),
                   .advice = "it was stopped, or its host or network was; a process that is to be "
                             "stopped, as by a debugger, needs MUSTER_HEARTBEAT=0 in the job"});
  out.close(link);
  out.log(LogLevel::debug, fmt::format("gave {} up: {}", printable(found->second.address()), why));
  forget(found, why, now, out);
}

void Core::Impl::on(const Doom& event, TimePoint, Outbox& out) {
  members.doom(event.failure, out);
}

void Core::Impl::on(const Stop&, TimePoint now, Outbox& out) {
  members.stop([this](std::uint32_t rank) { return report.doing(rank); }, now, out);
  dismiss_version0(share(Failure{.code = Code::server_lost, .reason = "the server is stopping"}),
                   now, out);
}

void Core::Impl::drop_stranger(LinkId link, std::string_view why, TimePoint now, Outbox& out) {
  const auto found = peers.find(link);
  MUSTER_ASSERT(found != peers.end());
  door.turn_away(link, found->second, why, now, out);
  peers.erase(found);
}

void Core::Impl::take_frames(LinkId link, Peer& peer, Bytes bytes, TimePoint now, Outbox& out) {
  peer.reader().feed(bytes);
  wire::FrameHeader header;
  Bytes body;
  while (true) {
    if (out.enough()) return out.leave(peer.reader().take_unread().size());
    out.spend(1);
    switch (peer.reader().next(header, body)) {
      case wire::FrameReader::Found::more:
        return;
      case wire::FrameReader::Found::frame:
        if (peer.speaks_version0()) {
          version0_request(link, header, body, now, out);
        } else {
          request({link, header.type, header.sequence}, peer, body, now, out);
        }
        break;
      case wire::FrameReader::Found::oversized:  // of version 0; in version 1 it breaks the stream
        out.fail({link, {}, header.sequence, true}, version0_oversized(header));
        break;
      case wire::FrameReader::Found::broken:
        if (peer.is_tool()) door.complain(peer, "it sent bytes that are no frame", now, out);
        out.close(link);
        return forget(peers.find(link), "it sent bytes that are no frame", now, out);
    }
  }
}

void Core::Impl::version0_request(LinkId link, const wire::FrameHeader& header, Bytes body,
                                  TimePoint now, Outbox& out) {
  const auto asked = read_version0(header, body, store.table());
  const ReplyTo from{link, asked ? asked->type : wire::Type{}, header.sequence, true};
  if (!asked) return out.fail(from, asked.error());
  store_request(from, asked->body, now, out);
}

/// Version 0 has no message that says why: its waits end badly, and the links with them.
void Core::Impl::dismiss_version0(const SharedFailure& failure, TimePoint now, Outbox& out) {
  for (const LinkId link : std::set<LinkId>(version0_links)) {
    store.fail_link(link, failure, out);
    out.close(link);
    forget(peers.find(link), "dismissed", now, out);
  }
}

void Core::Impl::request(const ReplyTo& from, const Peer& peer, Bytes body, TimePoint now,
                         Outbox& out) {
  switch (from.type) {
    case wire::Type::set:
    case wire::Type::get:
    case wire::Type::add:
    case wire::Type::remove:
    case wire::Type::append:
    case wire::Type::compare_set:
    case wire::Type::wait:
    case wire::Type::list:
    case wire::Type::watch:
    case wire::Type::unwatch:
    case wire::Type::multi_get:
    case wire::Type::multi_set:
      return store_request(from, body, now, out);
    case wire::Type::status:
      return status_request(from, peer, body, now, out);
    case wire::Type::arrive:
    case wire::Type::open_group:
    case wire::Type::close_group:
    case wire::Type::fail:
    case wire::Type::leave:
    case wire::Type::set_owned:
      return rank_request(from, peer, body, now, out);
    case wire::Type::beat:
      return;
    default:
      return out.fail(from, Code::protocol,
                      fmt::format("unknown request: {}", message_text(from.type)));
  }
}

void Core::Impl::store_request(const ReplyTo& from, Bytes body, TimePoint now, Outbox& out) {
  if (members.failure()) return out.fail(from, members.shared_failure());
  switch (from.type) {
    case wire::Type::set:
      return store.set(body, from, out);
    case wire::Type::get:
      return store.get(body, from, now, out);
    case wire::Type::add:
      return store.add(body, from, out);
    case wire::Type::remove:
      return store.remove(body, from, out);
    case wire::Type::append:
      return store.append(body, from, out);
    case wire::Type::compare_set:
      return store.compare_set(body, from, out);
    case wire::Type::wait:
      return store.wait(body, from, now, out);
    case wire::Type::list:
      return store.list(body, from, out);
    case wire::Type::watch:
      return store.watch(body, from, out);
    case wire::Type::unwatch:
      return store.unwatch(body, from, out);
    case wire::Type::multi_get:
      return store.multi_get(body, from, out);
    default:
      return store.multi_set(body, from, out);
  }
}

void Core::Impl::rank_request(const ReplyTo& from, const Peer& peer, Bytes body, TimePoint now,
                              Outbox& out) {
  if (peer.is_tool()) {
    return out.fail(from, Code::invalid_state,
                    fmt::format("{} is for ranks, this link is a tool's", message_text(from.type)));
  }
  switch (from.type) {
    case wire::Type::arrive:
      return rounds.arrive(body, from, peer, members.roster(), now, out);
    case wire::Type::open_group:
      return rounds.open_group(body, from, peer, members.roster(), out);
    case wire::Type::close_group:
      return rounds.close_group(body, from, peer, members.roster(), out);
    case wire::Type::fail:
      return members.fail(body, from, peer, now, out);
    case wire::Type::set_owned:
      return set_owned(from, peer, body, out);
    default:
      return members.leave(body, from, peer, now, out);
  }
}

void Core::Impl::set_owned(const ReplyTo& from, const Peer& peer, Bytes body, Outbox& out) {
  if (members.failure()) return out.fail(from, members.shared_failure());
  if (peer.ranks().size() != 1) {
    return out.fail(
        from, Code::invalid_state,
        fmt::format("a key has one owner, this link speaks for {}", ranks_text(peer.ranks())));
  }
  const std::uint32_t rank = peer.ranks().front();
  if (members.roster().row(rank).state != State::joined) {
    return out.fail(from, Code::invalid_state,
                    fmt::format("{} has left the job", members.roster().name(rank).text()));
  }
  store.set_owned(body, from, rank, out);
}

void Core::Impl::status_request(const ReplyTo& from, const Peer& peer, Bytes body, TimePoint now,
                                Outbox& out) {
  const auto asked = wire::decode_status_request(body);
  if (!asked) return out.malformed(from, body.size());
  out.spend(members.roster().size() / rows_a_unit);
  const JobStatus page =
      report.page(asked->first_rank, std::min(asked->rows_max, limits::status_rows_max), now);
  out.written(from, [&](Value& answer) {
    peer.reads_seekers() ? wire::encode(page, answer) : wire::encode_without_seekers(page, answer);
  });
}

/// The link is gone, or about to be.
void Core::Impl::forget(Peers::iterator found, std::string_view why, TimePoint now, Outbox& out) {
  const LinkId link = found->first;
  const Peer peer = std::move(found->second);
  peers.erase(found);
  version0_links.erase(link);
  door.gone(link);
  members.lose_seeker(link, why, out);
  heart.remove(link);
  store.drop_link(link);
  rounds.drop_link(link, peer.ranks());
  if (!peer.is_tool()) members.unlink(peer, link, why, now, out);
}

Core::Core(CoreOptions options, Random& random, TimePoint now)
    : impl_(std::make_unique<Impl>(std::move(options), random, now)) {}
Core::~Core() = default;
Core::Core(Core&&) noexcept = default;
Core& Core::operator=(Core&&) noexcept = default;

void Core::step(const Event& event, TimePoint now, Actions& actions) {
  Outbox out(actions);
  impl_->last_step = now;
  impl_->store.tell(out);
  out.begin_anew();
  std::visit([&](const auto& what) { impl_->on(what, now, out); }, event);
  impl_->dismiss_seekers(out);
  if (impl_->members.failure()) {
    impl_->dismiss_version0(impl_->members.shared_failure(), now, out);
  }
}

std::optional<TimePoint> Core::next_deadline() const {
  if (impl_->store.waits().telling()) return impl_->last_step;
  std::optional<TimePoint> next;
  for (const auto deadline : {impl_->door.next_deadline(), impl_->store.waits().next_deadline(),
                              impl_->rounds.next_deadline(), impl_->members.next_deadline(),
                              impl_->heart.next_deadline()}) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

JobStatus Core::status(TimePoint now) const {
  return impl_->report.page(0, impl_->members.roster().size(), now);
}

std::optional<RosterRow> Core::first_casualty() const {
  const auto rank = impl_->members.roster().first_casualty();
  if (!rank) return std::nullopt;
  return impl_->report.row(*rank, impl_->members.roster().row(*rank).since);
}

std::size_t Core::open_groups() const {
  return impl_->rounds.subsets();
}

std::size_t Core::open_items() const {
  return impl_->peers.size() + impl_->store.waits().size() + impl_->store.watches().size() +
         impl_->rounds.size() + impl_->members.leaving().size();
}

}  // namespace muster::server
