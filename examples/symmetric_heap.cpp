// A symmetric heap in shared memory, as SHMEM libraries have one: every rank allocates the same
// things in the same order, so that an offset names the same thing on all of them, and any rank may
// write to any other's. What keeps that true is a barrier in each malloc and free, labelled with
// what is done: ranks that are out of step are told so at once, and which rank is where.
//
//   muster run -n 4 -- symmetric_heap
//   muster run -n 4 -- symmetric_heap --forgetful-rank 2     (which leaves a malloc out)
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include <muster/muster.hpp>

namespace {

constexpr std::size_t heap_bytes = 1U << 20;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "symmetric_heap: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

/// A name of shared memory, which goes in time whatever happens: who has it mapped keeps that.
struct OwnName {
  std::string name;
  ~OwnName() { remove(); }
  void remove() const { ::shm_unlink(name.c_str()); }
};

class SymmetricHeap {
 public:
  explicit SymmetricHeap(muster::Job& job) : job_(job), own_{name(job.rank())} {
    const int own = ::shm_open(own_.name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (own < 0 || ::ftruncate(own, heap_bytes) != 0) give_up("no shared memory");
    ::close(own);
    sync("made");
    for (std::uint32_t rank = 0; rank < job.size(); ++rank) heaps_.push_back(map(rank));
    sync("mapped");
    own_.remove();
  }
  ~SymmetricHeap() {
    for (void* heap : heaps_) ::munmap(heap, heap_bytes);
  }

  /// The offset of `bytes` that are free on all ranks: first fit.
  std::size_t malloc(std::size_t bytes) {
    std::size_t at = 0;
    for (const auto& [begin, size] : used_) {
      if (at + bytes <= begin) break;
      at = begin + size;
    }
    if (at + bytes > heap_bytes) throw std::bad_alloc();
    used_[at] = bytes;
    sync("malloc(" + std::to_string(bytes) + ")");
    return at;
  }
  void free(std::size_t offset) {
    sync("free(" + std::to_string(offset) + ")");
    used_.erase(offset);
  }
  void finalize() {
    sync("finalize");
    job_.leave().value();
  }

  /// What `rank` has at `offset`.
  std::uint32_t& at(std::uint32_t rank, std::size_t offset) {
    return *reinterpret_cast<std::uint32_t*>(static_cast<char*>(heaps_[rank]) + offset);
  }
  /// Waits for all ranks; `what` is what those see who are doing something else.
  void sync(const std::string& what) {
    job_.world().barrier(what + " #" + std::to_string(++calls_)).value();
  }

 private:
  std::string name(std::uint32_t rank) const {
    return "/muster-" + std::string(job_.id()) + "-" + std::to_string(rank);
  }
  void* map(std::uint32_t rank) const {
    const int heap = ::shm_open(name(rank).c_str(), O_RDWR, 0);
    if (heap < 0) give_up("a rank's heap is not on this host");
    void* mapped = ::mmap(nullptr, heap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, heap, 0);
    if (mapped == MAP_FAILED) give_up("mmap");
    ::close(heap);
    return mapped;
  }

  muster::Job& job_;
  OwnName own_;
  std::vector<void*> heaps_;
  std::map<std::size_t, std::size_t> used_;  ///< offset, bytes
  unsigned calls_ = 0;
};

void work(bool forgetful) {
  auto job = muster::Job::join(muster::JoinOptions::from_environment().value()).value();
  SymmetricHeap heap(job);
  const std::size_t table = heap.malloc(64);
  const std::size_t inbox = forgetful ? table : heap.malloc(sizeof(std::uint32_t));

  const std::uint32_t next = (job.rank() + 1) % job.size();
  heap.at(next, inbox) = job.rank();
  heap.sync("all have written");
  std::printf("rank %u: rank %u has written here\n", job.rank(), heap.at(job.rank(), inbox));

  heap.free(inbox);
  heap.free(table);
  heap.finalize();
}

}  // namespace

int main(int count, char** arguments) {
  const char* rank = std::getenv("MUSTER_RANK");
  const bool chosen = count == 3 && std::string(arguments[1]) == "--forgetful-rank";
  if (count != 1 && !chosen) {
    std::fprintf(stderr, "usage: symmetric_heap [--forgetful-rank RANK]\n");
    return 2;
  }
  try {
    work(chosen && rank != nullptr && std::string(rank) == arguments[2]);
    return 0;
  } catch (const muster::Failed& failure) {
    std::fprintf(stderr, "symmetric_heap: %s\n", failure.what());
    return failure.error().exit_code;
  }
}
