/// \file
/// What every Store must do, whatever carries it. To insert an implementation: link
/// store_conformance, give a StoreService, and
///
///     INSTANTIATE_TEST_SUITE_P(Name, StoreSuite, testing::Values(StoreOver{"Name", make}),
///                              testing::PrintToStringParamName());
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>

#include <muster/store.hpp>

namespace muster::conformance {

/// Resource. One empty table, of a job of 2 ranks that nobody has joined.
class StoreService {
 public:
  virtual ~StoreService() = default;
  /// A client with a link of its own.
  virtual std::unique_ptr<Store> connect() = 0;
};

/// Value.
struct StoreOver {
  std::string name;  ///< letters and digits
  std::function<std::unique_ptr<StoreService>()> make;

  friend std::ostream& operator<<(std::ostream& out, const StoreOver& over) {
    return out << over.name;
  }
};

class StoreSuite : public testing::TestWithParam<StoreOver> {
 protected:
  std::unique_ptr<StoreService> service_ = GetParam().make();
  std::unique_ptr<Store> store_ = service_->connect();
};

}  // namespace muster::conformance
