/// \file
/// What every Store must do, whatever carries it. To insert an implementation: link
/// store_conformance, give a StoreService, and
///
///     INSTANTIATE_TEST_SUITE_P(Name, StoreSuite, testing::Values(StoreOver{"Name", make}),
///                              testing::PrintToStringParamName());
#pragma once

#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <muster/store.hpp>

#include "base/limits.hpp"

namespace muster::conformance {

/// Resource. One empty table, of a job of 2 ranks that nobody has joined.
class StoreService {
 public:
  virtual ~StoreService() = default;
  /// A client with a link of its own.
  virtual std::unique_ptr<Store> connect() = 0;
};

/// Value. What a kind of store cannot do must be `unsupported`.
struct Traits {
  bool many = true;  ///< wait, multi_get, multi_set
  bool list = true;
  bool watch = true;
  bool one_moment = true;             ///< several keys are set, read and waited for together
  bool absent_is_not_empty = true;    ///< a compare_set tells them apart
  bool limits_what_grows = true;      ///< an append or a sum that grows too large is `limit`
  bool names_ranks = true;            ///< a time-out says who has joined
  Code owning = Code::invalid_state;  ///< what set_owned says to one who is no rank
  std::size_t key_bytes_max = limits::key_bytes_max;
  std::size_t value_bytes_max = limits::value_bytes_max;
};

/// Value.
struct StoreOver {
  std::string name;  ///< letters and digits
  std::function<std::unique_ptr<StoreService>()> make;
  Traits traits = {};

  friend std::ostream& operator<<(std::ostream& out, const StoreOver& over) {
    return out << over.name;
  }
};

class StoreSuite : public testing::TestWithParam<StoreOver> {
 protected:
  const Traits& traits() const { return GetParam().traits; }

  /// Whether this kind of store cannot do that; then it says so.
  bool lacks_many();
  bool lacks_list();
  bool lacks_watch();

  template <class T>
  static Code code_of(const Result<T>& result) {
    return result ? Code{} : result.error().code;
  }
  /// The value, or the error's text.
  static std::string get(Store& store, std::string_view key);
  static void set(Store& store, std::string_view key, std::string_view value);
  std::string get(std::string_view key) { return get(*store_, key); }
  void set(std::string_view key, std::string_view value) { set(*store_, key, value); }

  std::unique_ptr<StoreService> service_ = GetParam().make();
  std::unique_ptr<Store> store_ = service_->connect();
};

/// Threads that are joined at the end of the test, also when it fails on the way.
using Threads = std::vector<std::jthread>;

}  // namespace muster::conformance
