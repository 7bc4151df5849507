// The suite over the table in this process, and over a view of it.
#include <memory>
#include <utility>

#include "conformance/store_suite.hpp"

namespace muster::conformance {
namespace {

/// Resource. One of many handles of a store.
class Handle : public Store {
 public:
  explicit Handle(std::shared_ptr<Store> store) : store_(std::move(store)) {}

  Result<void> set(std::string_view key, Bytes value, Deadline until) override {
    return store_->set(key, value, until);
  }
  Result<void> set_owned(std::string_view key, Bytes value, Deadline until) override {
    return store_->set_owned(key, value, until);
  }
  Result<Value> get(std::string_view key, Deadline until) override {
    return store_->get(key, until);
  }
  Result<Value> wait_get(std::string_view key, Deadline until) override {
    return store_->wait_get(key, until);
  }
  Result<void> wait(std::span<const std::string_view> keys, Deadline until) override {
    return store_->wait(keys, until);
  }
  Result<std::int64_t> add(std::string_view key, std::int64_t delta, Deadline until) override {
    return store_->add(key, delta, until);
  }
  Result<std::uint64_t> append(std::string_view key, Bytes value, Deadline until) override {
    return store_->append(key, value, until);
  }
  Result<Swap> compare_set(std::string_view key, std::optional<Bytes> expected, Bytes desired,
                           Deadline until) override {
    return store_->compare_set(key, expected, desired, until);
  }
  Result<bool> remove(std::string_view key, Deadline until) override {
    return store_->remove(key, until);
  }
  Result<std::vector<std::optional<Value>>> multi_get(std::span<const std::string_view> keys,
                                                      Deadline until) override {
    return store_->multi_get(keys, until);
  }
  Result<void> multi_set(std::span<const KeyValue> entries, Deadline until) override {
    return store_->multi_set(entries, until);
  }
  Result<KeyPage> list(std::string_view prefix, std::string_view after, std::size_t keys_max,
                       Deadline until) override {
    return store_->list(prefix, after, keys_max, until);
  }
  Result<WatchId> watch(std::string_view prefix, OnChange on_change, Deadline until) override {
    return store_->watch(prefix, std::move(on_change), until);
  }
  Result<void> unwatch(WatchId watch, Deadline until) override {
    return store_->unwatch(watch, until);
  }

 private:
  std::shared_ptr<Store> store_;
};

class Tables : public StoreService {
 public:
  std::unique_ptr<Store> connect() override { return std::make_unique<Handle>(table_); }

 private:
  std::shared_ptr<Store> table_ = make_table_store();
};

class Views : public StoreService {
 public:
  std::unique_ptr<Store> connect() override { return make_prefix_view(*table_, "view"); }

 private:
  std::unique_ptr<Store> table_ = make_table_store();
};

class ViewsOfViews : public StoreService {
 public:
  std::unique_ptr<Store> connect() override { return make_prefix_view(*view_, "b"); }

 private:
  std::unique_ptr<Store> table_ = make_table_store();
  std::unique_ptr<Store> view_ = make_prefix_view(*table_, "a");
};

template <class Service>
StoreOver over(std::string name, std::size_t key_bytes_max) {
  return {std::move(name),
          [] { return std::make_unique<Service>(); },
          {.names_ranks = false, .owning = Code::unsupported, .key_bytes_max = key_bytes_max}};
}

INSTANTIATE_TEST_SUITE_P(InProcess, StoreSuite,
                         testing::Values(over<Tables>("Table", limits::key_bytes_max),
                                         over<Views>("View", limits::key_bytes_max - 5),
                                         over<ViewsOfViews>("ViewOfView",
                                                            limits::key_bytes_max - 4)),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::conformance
