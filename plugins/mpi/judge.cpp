#include "mpi/judge.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <variant>

#include "base/host.hpp"
#include "base/random.hpp"

namespace muster::plugins {
namespace {

server::LinkId link_of(std::uint32_t rank) {
  return std::uint64_t{rank} + 1;
}

server::CoreOptions core_options(std::uint32_t size) {
  server::CoreOptions options;
  options.job = random_job_id();
  options.incarnation = Incarnation::random();
  options.epoch = Epoch::random();
  options.size = size;
  options.server_rank = 0;
  options.host = host_name();
  options.pid = process_id();
  return options;
}

}  // namespace

Judge::Judge(std::uint32_t size) : core_(core_options(size), system_random(), Clock::now()) {}

void Judge::hear(std::uint32_t rank, Bytes bytes) {
  const auto [at, is_new] = links_.try_emplace(rank);
  Link& link = at->second;
  if (is_new) happened(server::Opened{link_of(rank), "rank " + std::to_string(rank)});
  if (bytes.empty()) {
    link.gone = true;
    link.waiting.clear();
    if (!link.closing) happened(server::Closed{link_of(rank), "the rank has closed it"});
    return end(link);
  }
  while (!bytes.empty() && !link.closing) {
    happened(server::Received{link_of(rank), bytes});
    bytes = bytes.last(actions_.untaken);
  }
}

void Judge::tick() {
  happened(server::Tick{});
}

void Judge::stop() {
  happened(server::Stop{});
  for (auto& [rank, link] : links_) end(link);
}

void Judge::happened(const server::Event& event) {
  actions_.clear();
  core_.step(event, Clock::now(), actions_);
  for (const server::Action& action : actions_.list) {
    if (const auto* send = std::get_if<server::Send>(&action)) perform(*send);
    if (const auto* close = std::get_if<server::Close>(&action)) {
      end(links_[static_cast<std::uint32_t>(close->link - 1)]);
    }
  }
}

void Judge::perform(const server::Send& send) {
  Link& link = links_[static_cast<std::uint32_t>(send.link - 1)];
  if (link.closing || link.gone) return;
  const Bytes bytes = Bytes(actions_.bytes).subspan(send.offset, send.length);
  if (!bytes.empty()) link.waiting.emplace_back(std::make_shared<const Value>(to_value(bytes)), 0);
  if (send.tail && !send.tail->empty()) link.waiting.emplace_back(send.tail, 0);
}

std::pair<Bytes, bool> Judge::next(std::uint32_t rank, std::size_t bytes_max) const {
  const Link& link = links_.at(rank);
  if (link.waiting.empty()) return {Bytes{}, link.closing && !link.end_said};
  const auto& [bytes, said] = link.waiting.front();
  const Bytes rest = Bytes(*bytes).subspan(said);
  return {rest.first(std::min(rest.size(), bytes_max)), false};
}

void Judge::said(std::uint32_t rank, std::size_t bytes) {
  Link& link = links_.at(rank);
  if (bytes == 0) {
    link.end_said = true;
    return;
  }
  auto& [front, said] = link.waiting.front();
  said += bytes;
  if (said == front->size()) link.waiting.pop_front();
}

std::vector<std::uint32_t> Judge::addressees() const {
  std::vector<std::uint32_t> ranks;
  for (const auto& [rank, link] : links_) {
    if (!link.waiting.empty() || (link.closing && !link.end_said)) ranks.push_back(rank);
  }
  return ranks;
}

bool Judge::over() const {
  return std::ranges::all_of(links_, [](const auto& each) {
    const Link& link = each.second;
    return link.waiting.empty() && link.end_said && link.gone;
  });
}

}  // namespace muster::plugins
