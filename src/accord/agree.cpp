#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include <muster/agreement.hpp>

#include "accord/mismatch.hpp"
#include "accord/record.hpp"
#include "accord/tokens.hpp"

namespace muster {
namespace {

Error protocol_error(std::string what, std::vector<RankName> ranks) {
  return Error{.code = Code::protocol,
               .phase = Phase::operation,
               .what = std::move(what),
               .advice = "run the same version of muster on every rank",
               .ranks = std::move(ranks),
               .exit_code = accord::fail_closed_exit_code};
}

/// The group's ranks as ranks of the job, which is how errors name them, ascending; with the rank
/// in the group of each.
std::vector<std::pair<std::uint32_t, std::uint32_t>> by_rank_in_job(const Group& group) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;
  ranks.reserve(group.size());
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    ranks.emplace_back(group.rank_in_job(rank), rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// Nothing if every part shows the contract that `mine` shows. Which error comes depends on the
/// parts alone, so every rank has the same.
Result<void> compare(const Group& group, const Epoch& epoch, const Value& mine,
                     const Parts& parts) {
  const auto same_bytes = [&](Bytes part) { return as_text(part) == as_text(mine); };
  if (std::all_of(parts.begin(), parts.end(), same_bytes)) return {};
  std::vector<accord::Record> records;
  std::vector<std::uint32_t> ranks;
  for (const auto& [rank_in_job, rank] : by_rank_in_job(group)) {
    auto record = accord::decode(epoch, parts[rank]);
    if (!record) {
      return protocol_error(fmt::format("rank {} sent a malformed agreement record: {}",
                                        rank_in_job, record.error().what),
                            {{.rank = rank_in_job, .detail = "malformed agreement record"}});
    }
    records.push_back(std::move(*record));
    ranks.push_back(rank_in_job);
  }
  const auto same_contract = [&](const accord::Record& record) {
    return record.fingerprint == records.front().fingerprint;
  };
  // They may still show different values: sharing is not part of the contract.
  if (std::all_of(records.begin(), records.end(), same_contract)) return {};
  return accord::mismatch_error(records, ranks);
}

}  // namespace

Result<Agreement> agree(Group& group, const Epoch& epoch, const Contract& contract,
                        Deadline deadline) {
  const TimePoint begun = group.now();
  const TimePoint until = group.resolve(deadline);
  const Identity identity = group.identity();
  const Value mine = accord::encode(accord::make_record(epoch, contract));

  auto parts = group.exchange("agreement", accord::agreement_token(epoch, identity), mine,
                              Deadline::at(until));
  if (!parts) return parts.error();
  Result<void> compared =
      parts->size() == group.size()
          ? compare(group, epoch, mine, *parts)
          : protocol_error(fmt::format("the exchange gave {} records for {} ranks", parts->size(),
                                       group.size()),
                           {});
  if (compared.ok() && as_text((*parts)[group.rank()]) != as_text(mine)) {
    compared = protocol_error(
        fmt::format("the exchange altered what rank {} had sent", group.rank_in_job(group.rank())),
        {});
  }
  if (!compared) {
    Error error = compared.error();
    error.elapsed = group.now() - begun;
    return error;
  }
  std::vector<std::uint32_t> ranks;
  for (const auto& [rank_in_job, rank] : by_rank_in_job(group)) ranks.push_back(rank_in_job);
  return Agreement(contract, epoch, contract.fingerprint(epoch), identity, std::move(ranks));
}

}  // namespace muster
