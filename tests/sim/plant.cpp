#include "plant.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "group_plants.hpp"
#include "wire/hello.hpp"
#include "wire/notices.hpp"
#include "wire/round_messages.hpp"
#include "wire/status_messages.hpp"
#include "wire/store_messages.hpp"

namespace muster::sim {
namespace {

bool is_verdict(const wire::FrameHeader& header) {
  return header.type == wire::Type::arrive;
}

bool is_good_verdict(const wire::FrameHeader& header) {
  return is_verdict(header) && header.result == 0;
}

/// The third verdict is never sent.
class DroppedVerdict : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value&) override {
    return !is_verdict(header) || ++verdicts_ != 3;
  }

 private:
  int verdicts_ = 0;
};

/// The second good verdict is told as a bad one.
class OtherVerdict : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value& body) override {
    if (!is_good_verdict(header) || ++verdicts_ != 2) return true;
    header.result = static_cast<std::int16_t>(Code::rank_missing);
    body.clear();
    wire::encode(Failure{.code = Code::rank_missing, .reason = "planted"}, body);
    return true;
  }

 private:
  int verdicts_ = 0;
};

/// One byte of the parts of one verdict is another one.
class OtherParts : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value& body) override {
    if (done_ || !is_good_verdict(header) || body.size() < 64) return true;
    body.back() ^= std::byte{1};
    done_ = true;
    return true;
  }

 private:
  bool done_ = false;
};

/// The first good verdict with parts changes them for every rank alike: only who sent them can
/// tell.
class WrongParts : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value& body) override {
    if (is_good_verdict(header) && body.size() >= 64) body.back() ^= std::byte{1};
    return true;
  }
};

/// GETs that wait are never heard of again.
class ForgottenWaiter : public Plant {
 public:
  bool request(server::LinkId, const wire::FrameHeader& header, Value& body) override {
    if (header.type != wire::Type::get) return true;
    const auto get = wire::decode_get(body);
    return !get || get->wait_ms == 0;
  }
};

/// A SET is answered and not stored.
class LostSet : public Plant {
 public:
  bool request(server::LinkId link, const wire::FrameHeader& header, Value&) override {
    if (header.type != wire::Type::set) return true;
    forged.push_back({link, {wire::Type::set, 0, 0, header.sequence}, {}});
    return false;
  }
};

/// One in ten changes is not told.
class LostChange : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value&) override {
    return header.type != wire::Type::changed || ++changes_ % 10 != 0;
  }

 private:
  int changes_ = 0;
};

/// A time-out names one rank too few.
class WrongNames : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value& body) override {
    if (!is_verdict(header) || header.result == 0) return true;
    auto failure = wire::decode_failure(body);
    if (!failure || failure->code != Code::rank_missing || failure->who.empty()) return true;
    failure->who.pop_back();
    body.clear();
    wire::encode(*failure, body);
    return true;
  }
};

/// Whoever exchanges is shown its own payload as everyone's: all seem to agree.
class FalseAgreement : public Plant {
 public:
  bool request(server::LinkId link, const wire::FrameHeader& header, Value& body) override {
    const auto arrive = wire::decode_arrive(body);
    if (is_verdict(header) && arrive && arrive->kind == Kind::exchange) {
      own_[{link, header.sequence}] = to_value(arrive->parts.front().payload);
    }
    return true;
  }
  bool message(server::LinkId link, wire::FrameHeader& header, Value& body) override {
    const auto own = own_.find({link, header.sequence});
    if (own == own_.end() || !is_good_verdict(header)) return true;
    const auto parts = wire::decode_verdict(to_value(body));
    if (!parts) return true;
    const std::vector<Bytes> all(parts->size(), Bytes(own->second));
    body.clear();
    wire::encode_verdict(all, body);
    return true;
  }

 private:
  std::map<std::pair<server::LinkId, std::uint32_t>, Value> own_;
};

/// The core is not told that a link is gone.
class DeafToLoss : public Plant {
 public:
  bool closed(server::LinkId) override { return ++closed_ != 1; }

 private:
  int closed_ = 0;
};

/// A doomed job gives one rank another list of names.
class TwoReasons : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value& body) override {
    if (header.type != wire::Type::doomed || ++told_ != 2) return true;
    auto failure = wire::decode_failure(body);
    if (!failure || failure->who.empty()) return true;
    failure->who.pop_back();
    body.clear();
    wire::encode(*failure, body);
    return true;
  }

 private:
  int told_ = 0;
};

/// An answer comes twice.
class TwoAnswers : public Plant {
 public:
  bool message(server::LinkId link, wire::FrameHeader& header, Value& body) override {
    if (header.sequence != 0 && ++answers_ == 3) forged.push_back({link, header, body});
    return true;
  }

 private:
  int answers_ = 0;
};

/// Nobody is ever told that all are in.
class NeverMustered : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value&) override {
    return header.type != wire::Type::mustered;
  }
};

/// All calls seem to have the same label.
class BlindToLabels : public Plant {
 public:
  bool request(server::LinkId, const wire::FrameHeader& header, Value& body) override {
    if (!is_verdict(header)) return true;
    const Value before = body;
    auto arrive = wire::decode_arrive(before);
    if (!arrive) return true;
    arrive->label = {};
    body.clear();
    wire::encode(*arrive, body);
    return true;
  }
};

/// The roster counts one rank too many.
class WrongCount : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value& body) override {
    auto status = header.type == wire::Type::status ? wire::decode_status(body) : std::nullopt;
    if (!status) return true;
    ++status->joined;
    body.clear();
    wire::encode(*status, body);
    return true;
  }
};

/// Who is assigned a rank gets the next one's. Who named its own does not take that from a server.
class WrongRank : public Plant {
 public:
  bool message(server::LinkId, wire::FrameHeader& header, Value& body) override {
    auto welcome = header.type == wire::Type::welcome ? wire::decode_welcome(body) : std::nullopt;
    if (!welcome || welcome->rank == no_rank) return true;
    welcome->rank = (welcome->rank + 1) % welcome->size;
    body.clear();
    wire::encode(*welcome, body);
    return true;
  }
};

/// The one fault of the client: who waits in vain wakes late.
class LateWaker : public DroppedVerdict {
 public:
  Duration oversleeps() const override { return std::chrono::seconds{1}; }
};

class LosesWhatWaits : public Plant {
 public:
  bool keeps_what_waits() const override { return false; }
};

struct Entry {
  const char* name;
  const char* what;
  std::function<std::unique_ptr<Plant>(std::uint32_t size)> make;
};

template <class T>
std::unique_ptr<Plant> plain(std::uint32_t) {
  return std::make_unique<T>();
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {"dropped-verdict", "one verdict is never sent", plain<DroppedVerdict>},
      {"other-verdict", "one rank is told another verdict", plain<OtherVerdict>},
      {"other-parts", "one rank is given other parts", plain<OtherParts>},
      {"wrong-parts", "all ranks are given the same wrong parts", plain<WrongParts>},
      {"early-round", "barriers end one rank early", make_early_round},
      {"foreign-name", "a subset is said to fail by a rank outside it", make_foreign_name},
      {"forgotten-close", "a subset that was closed is kept",
       [](std::uint32_t) { return make_forgotten_close(); }},
      {"parts-by-job-rank", "a subset's parts come in the order of ranks in the job",
       [](std::uint32_t) { return make_parts_by_job_rank(); }},
      {"forgotten-waiter", "a get that waits is never answered", plain<ForgottenWaiter>},
      {"lost-set", "a set is answered, not stored", plain<LostSet>},
      {"lost-change", "one in ten changes is not told", plain<LostChange>},
      {"wrong-names", "a time-out names one rank too few", plain<WrongNames>},
      {"false-agreement", "ranks that differ seem to agree", plain<FalseAgreement>},
      {"deaf-to-loss", "the end of a link goes unnoticed", plain<DeafToLoss>},
      {"two-reasons", "a doomed job gives two reasons", plain<TwoReasons>},
      {"two-answers", "an answer comes twice", plain<TwoAnswers>},
      {"blind-to-labels", "calls that differ in their label are taken for the same",
       plain<BlindToLabels>},
      {"wrong-count", "the roster counts one rank too many", plain<WrongCount>},
      {"late-waker", "clients' waits end late, when a verdict is never sent", plain<LateWaker>},
      {"wrong-rank", "ranks are assigned one too far", plain<WrongRank>},
      {"loses-what-waits", "what came while the server stood still is lost", plain<LosesWhatWaits>},
      {"never-mustered", "nobody hears that all are in", plain<NeverMustered>},
  };
  return all;
}

}  // namespace

std::string plant_names() {
  std::string text;
  for (const Entry& entry : entries()) {
    text += "  " + std::string(entry.name) + ": " + entry.what + "\n";
  }
  return text;
}

std::unique_ptr<Plant> make_plant(std::string_view name, std::uint32_t size) {
  for (const Entry& entry : entries()) {
    if (name == entry.name) return entry.make(size);
  }
  return nullptr;
}

}  // namespace muster::sim
