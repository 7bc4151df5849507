#include "accord/mismatch.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "accord/entry.hpp"
#include "base/assert.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace muster::accord {
namespace {

using Ranks = std::vector<std::uint32_t>;

/// The ranks that hold one and the same contract.
struct Side {
  std::string prefix;  ///< of its fingerprint
  Ranks ranks;
};

/// The ranks that hold one and the same form of an entry.
struct Form {
  const Record::Entry* entry = nullptr;
  Ranks ranks;
};

/// One entry as all ranks hold it; those that do not are in no form.
struct Subject {
  std::vector<Form> forms;  ///< in order of their lowest ranks
  std::map<std::pair<std::uint8_t, Digest>, std::size_t> form_of;
  bool open = true;  ///< on every rank that holds it
};

using Subjects = std::map<std::string_view, Subject>;

std::vector<Side> sides_of(const std::vector<Record>& records, const Ranks& ranks) {
  std::vector<Side> sides;
  std::map<Digest, std::size_t> side_of;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Digest& fingerprint = records[i].fingerprint;
    const auto [at, is_new] = side_of.try_emplace(fingerprint, sides.size());
    if (is_new) sides.push_back({to_hex(fingerprint).substr(0, 12), {}});
    sides[at->second].ranks.push_back(ranks[i]);
  }
  return sides;
}

Subjects subjects_of(const std::vector<Record>& records, const Ranks& ranks) {
  Subjects subjects;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const Record::Entry& entry : records[i].entries) {
      Subject& subject = subjects[entry.name];
      const auto [at, is_new] =
          subject.form_of.try_emplace({entry.type, entry.digest}, subject.forms.size());
      if (is_new) subject.forms.push_back({&entry, {}});
      subject.forms[at->second].ranks.push_back(ranks[i]);
      subject.open = subject.open && entry.value.has_value();
    }
  }
  return subjects;
}

/// Those of `ranks` that do not hold it.
Ranks missing(const Subject& subject, const Ranks& ranks) {
  Ranks holders;
  for (const Form& form : subject.forms) {
    holders.insert(holders.end(), form.ranks.begin(), form.ranks.end());
  }
  std::sort(holders.begin(), holders.end());
  Ranks others;
  std::set_difference(ranks.begin(), ranks.end(), holders.begin(), holders.end(),
                      std::back_inserter(others));
  return others;
}

std::string text(const Ranks& ranks) {
  return rank_ranges(ranks, limits::mismatch_rank_ranges_max);
}

/// What `one` gives for each of `items`, in a list; beyond the limit they are counted.
template <class Item, class One>
std::string list(const std::vector<Item>& items, One one) {
  std::string line;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == limits::mismatch_sides_max) {
      return line + fmt::format(", and {} more", items.size() - i);
    }
    if (i > 0) line += ", ";
    line += one(items[i], i);
  }
  return line;
}

/// How the forms of one entry differ; there are at least two.
std::string differences(const Subject& subject) {
  const auto other_type = [&](const Form& form) {
    return form.entry->type != subject.forms.front().entry->type;
  };
  const bool types = std::any_of(subject.forms.begin(), subject.forms.end(), other_type);
  const auto one = [&](const Form& form, std::size_t i) {
    const Record::Entry& entry = *form.entry;
    std::string what;
    if (types) what = type_name(entry.type);
    if (subject.open) what += (types ? " " : "") + shown_value(entry.type, *entry.value);
    if (what.empty()) what = i == 0 ? "one value" : "another";
    return fmt::format("{} on {}", what, text(form.ranks));
  };
  return fmt::format("{}: {}", types ? "type differs" : "differs", list(subject.forms, one));
}

/// The clause about one entry; empty if all ranks hold the same.
std::string clause(std::string_view name, const Subject& subject, const Ranks& ranks) {
  std::string line;
  if (const Ranks without = missing(subject, ranks); !without.empty()) {
    line = fmt::format("{} missing on ranks {}", name, text(without));
  }
  if (subject.forms.size() > 1) {
    line += line.empty() ? fmt::format("{} ", name) : std::string(", ");
    line += differences(subject);
  }
  return line;
}

/// All that differs, as long as it fits into `bytes_max`.
std::string clauses(const Subjects& subjects, const Ranks& ranks, std::size_t bytes_max) {
  constexpr std::size_t tail_bytes = 32;  // "; and N more entries"
  std::string line;
  std::size_t left_out = 0;
  for (const auto& [name, subject] : subjects) {
    std::string next = clause(name, subject, ranks);
    if (next.empty()) continue;
    const auto fits = [&] { return line.size() + 2 + next.size() + tail_bytes <= bytes_max; };
    if (!fits()) next = fmt::format("{} differs", name);
    if (left_out > 0 || !fits()) {
      ++left_out;
      continue;
    }
    if (!line.empty()) line += "; ";
    line += next;
  }
  if (left_out > 0) line += fmt::format("; and {} more entries", left_out);
  return line;
}

std::vector<RankName> not_on_largest(const std::vector<Side>& sides) {
  const auto smaller = [](const Side& a, const Side& b) { return a.ranks.size() < b.ranks.size(); };
  const auto largest = std::max_element(sides.begin(), sides.end(), smaller);
  std::vector<RankName> names;
  for (auto side = sides.begin(); side != sides.end(); ++side) {
    if (side == largest) continue;
    for (const std::uint32_t rank : side->ranks) {
      names.push_back({.rank = rank, .detail = "fingerprint " + side->prefix});
    }
  }
  std::sort(names.begin(), names.end(),
            [](const RankName& a, const RankName& b) { return a.rank < b.rank; });
  if (names.size() > limits::named_ranks_max) names.resize(limits::named_ranks_max);
  return names;
}

}  // namespace

Error mismatch_error(const std::vector<Record>& records, const Ranks& ranks) {
  MUSTER_ASSERT(records.size() == ranks.size());
  const std::vector<Side> sides = sides_of(records, ranks);
  const auto one = [](const Side& side, std::size_t) {
    return fmt::format("{}: {}", text(side.ranks), side.prefix);
  };
  Error error{.code = Code::contract_mismatch, .phase = Phase::operation};
  error.what = "ranks hold different contracts: " + list(sides, one) + "; ";
  error.what += clauses(subjects_of(records, ranks), ranks,
                        limits::mismatch_text_bytes_max - error.what.size());
  error.advice =
      "give every rank the same configuration; a value is shown only if its entry is open";
  error.ranks = not_on_largest(sides);
  error.exit_code = fail_closed_exit_code;
  return error;
}

}  // namespace muster::accord
