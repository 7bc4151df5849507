/// \file
/// Messages between threads: a tunnel without MPI.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/messages.hpp"

namespace muster::conformance {

/// Resource; any number of threads. Where the messages of a job are, each under its receiver.
class PostOffice {
 public:
  struct Letter {
    std::uint32_t from = 0;
    Value bytes;
  };
  explicit PostOffice(std::uint32_t size) : boxes_(size) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(boxes_.size()); }
  void put(std::uint32_t to, Letter letter) {
    const std::lock_guard lock(mutex_);
    boxes_[to].push_back(std::move(letter));
  }
  std::size_t waiting(std::uint32_t to, std::uint32_t from) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count(boxes_[to], from, &Letter::from));
  }
  std::optional<Letter> take(std::uint32_t rank) {
    const std::lock_guard lock(mutex_);
    if (boxes_[rank].empty()) return std::nullopt;
    Letter letter = std::move(boxes_[rank].front());
    boxes_[rank].pop_front();
    return letter;
  }

  std::atomic<bool> burnt = false;  ///< nothing comes or goes any more
  std::atomic<int> clean = 0;       ///< ranks that closed with nothing on its way
  std::atomic<int> unclean = 0;

 private:
  mutable std::mutex mutex_;
  std::vector<std::deque<Letter>> boxes_;
};

class PostedMessages final : public plugins::Messages {
 public:
  PostedMessages(std::shared_ptr<PostOffice> post, std::uint32_t rank)
      : post_(std::move(post)), rank_(rank) {}

  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return post_->size(); }
  void send(std::uint32_t to, Bytes bytes) override {
    EXPECT_LE(bytes.size(), plugins::message_bytes_max);
    post_->put(to, {rank_, to_value(bytes)});
  }
  std::size_t unsent(std::uint32_t to) override { return post_->waiting(to, rank_); }
  std::optional<Message> receive() override {
    auto letter = broken() ? std::nullopt : post_->take(rank_);
    if (!letter) return std::nullopt;
    last_ = std::move(letter->bytes);
    return Message{letter->from, last_};
  }
  bool broken() const override { return post_->burnt; }
  Result<void> close(bool clean) override {
    ++(clean ? post_->clean : post_->unclean);
    return {};
  }

 private:
  std::shared_ptr<PostOffice> post_;
  std::uint32_t rank_;
  Value last_;
};

}  // namespace muster::conformance
