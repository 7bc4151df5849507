#include "mpi/mpi_messages.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "net/wait.hpp"

namespace muster::plugins {
namespace {

using namespace std::chrono_literals;

constexpr int tag = 0;

/// Resource. A message on its way out; its bytes stay where they are until MPI has taken them.
struct Sending {
  Value bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// A program that finalises MPI too early finds its groups broken, and no thread of theirs in MPI:
/// MPI_Finalize deletes what hangs on MPI_COMM_SELF before anything else.
class MpiMessages final : public Messages {
 public:
  MpiMessages(MPI_Comm own, bool finalize) : comm_(own), finalize_(finalize) {}
  MpiMessages(const MpiMessages&) = delete;
  MpiMessages& operator=(const MpiMessages&) = delete;

  Result<void> open() {
    int rank = 0;
    int size = 0;
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    if (const int bad = MPI_Comm_rank(comm_, &rank)) return mpi_error("MPI_Comm_rank", bad);
    if (const int bad = MPI_Comm_size(comm_, &size)) return mpi_error("MPI_Comm_size", bad);
    rank_ = static_cast<std::uint32_t>(rank);
    size_ = static_cast<std::uint32_t>(size);
    sending_.resize(size_);
    for (Value& room : rooms_) room.resize(message_bytes_max);
    post();
    if (broken()) return mpi_error("MPI_Irecv", broken_);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalizing, &key_, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key_, this);
    return {};
  }

  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }
  bool broken() const override { return broken_ != MPI_SUCCESS; }

  void send(std::uint32_t to, Bytes bytes) override {
    const std::lock_guard lock(mutex_);
    if (broken()) return;
    Sending& out = sending_[to].emplace_back(Sending{to_value(bytes)});
    broken_ = MPI_Isend(out.bytes.data(), static_cast<int>(out.bytes.size()), MPI_BYTE,
                        static_cast<int>(to), tag, comm_, &out.request);
  }

  std::size_t unsent(std::uint32_t to) override {
    const std::lock_guard lock(mutex_);
    auto& queue = sending_[to];
    while (!queue.empty() && !broken()) {
      int gone = 0;
      broken_ = MPI_Test(&queue.front().request, &gone, MPI_STATUS_IGNORE);
      if (gone == 0) break;
      queue.pop_front();
    }
    return queue.size();
  }

  std::optional<Message> receive() override {
    const std::lock_guard lock(mutex_);
    if (broken()) return std::nullopt;
    int here = 0;
    int bytes = 0;
    MPI_Status status;
    broken_ = MPI_Test(&receiving_, &here, &status);
    if (broken() || here == 0) return std::nullopt;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    const Value& room = rooms_[room_];
    room_ = 1 - room_;  // the next message must not overwrite this one
    post();
    return Message{static_cast<std::uint32_t>(status.MPI_SOURCE),
                   Bytes(room).first(static_cast<std::size_t>(bytes))};
  }

  /// What is not clean is left as it is, with its buffers: MPI may still write there, and there is
  /// no way to take it back without waiting for others.
  Result<void> close(bool clean) override {
    detach();
    if (!clean) {
      const std::lock_guard lock(mutex_);
      leak();
      return {};
    }
    stop_receiving();
    if (const int bad = MPI_Comm_free(&comm_)) return mpi_error("MPI_Comm_free", bad);
    if (!finalize_) return {};
    if (const int bad = MPI_Finalize()) return mpi_error("MPI_Finalize", bad);
    return {};
  }

 private:
  /// From now on MPI_Finalize knows nothing of this.
  void detach() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 || key_ == MPI_KEYVAL_INVALID) return;
    detached_ = true;
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    MPI_Comm_free_keyval(&key_);
  }

  static int finalizing(MPI_Comm, int, void* self, void*) {
    static_cast<MpiMessages*>(self)->give_up();
    return MPI_SUCCESS;
  }

  void give_up() {
    const std::lock_guard lock(mutex_);
    if (detached_ || broken()) return;
    stop_receiving();
    broken_ = MPI_ERR_COMM;
  }

  void stop_receiving() {
    MPI_Cancel(&receiving_);
    MPI_Wait(&receiving_, MPI_STATUS_IGNORE);  // local, for a receive that was cancelled
  }

  void post() {
    Value& room = rooms_[room_];
    broken_ = MPI_Irecv(room.data(), static_cast<int>(room.size()), MPI_BYTE, MPI_ANY_SOURCE, tag,
                        comm_, &receiving_);
  }

  void leak() {
    using Buffers = std::pair<std::array<Value, 2>, std::vector<std::deque<Sending>>>;
    static std::vector<std::unique_ptr<Buffers>> kept;
    kept.push_back(std::make_unique<Buffers>(std::move(rooms_), std::move(sending_)));
  }

  MPI_Comm comm_;
  bool finalize_;
  std::uint32_t rank_ = 0;
  std::uint32_t size_ = 0;
  std::mutex mutex_;  ///< held in MPI, so that MPI_Finalize can wait until nobody is there
  std::atomic<int> broken_ = MPI_SUCCESS;
  int key_ = MPI_KEYVAL_INVALID;
  bool detached_ = false;
  std::vector<std::deque<Sending>> sending_;  ///< by rank; a deque leaves its elements in place
  std::array<Value, 2> rooms_;
  std::size_t room_ = 0;
  MPI_Request receiving_ = MPI_REQUEST_NULL;
};

/// A copy of `parent`, made without waiting longer than until `deadline`.
Result<MPI_Comm> copy_of(MPI_Comm parent, TimePoint deadline) {
  // Where MPI writes to later, if the time is over before the copy is made.
  auto made = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int bad = MPI_Comm_idup(parent, made.get(), &request)) {
    return mpi_error("MPI_Comm_idup", bad);
  }
  for (Duration pause = 50us;; pause = std::min<Duration>(2 * pause, 10ms)) {
    int done = 0;
    if (const int bad = MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
      return mpi_error("MPI_Test", bad);
    }
    if (done != 0) return *made;
    if (Clock::now() >= deadline) break;
    net::pause_until(Clock::now() + pause);
  }
  static_cast<void>(made.release());
  return Error{.code = Code::timeout,
               .phase = Phase::muster,
               .what = "not all ranks of the communicator joined in time; MPI does not say who",
               .advice = "see that every rank of it makes this call"};
}

}  // namespace

Error mpi_error(const char* function, int error) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  return Error{
      .code = Code::system,
      .what = std::string(function) + ": " + std::string(text, static_cast<std::size_t>(length))};
}

Result<std::unique_ptr<Messages>> make_mpi_messages(MPI_Comm parent, bool finalize,
                                                    TimePoint deadline) {
  const auto comm = copy_of(parent, deadline);
  if (!comm) return comm.error();
  auto made = std::make_unique<MpiMessages>(*comm, finalize);
  if (auto opened = made->open(); !opened) return std::move(opened).error();
  std::unique_ptr<Messages> messages = std::move(made);
  return messages;
}

}  // namespace muster::plugins
