#include "catena/cuda/emulation/block.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/cuda/emulation/context.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace catena::cuda::emulation {

thread_local constinit uint3 threadIdx{0, 0, 0};
thread_local constinit uint3 blockIdx{0, 0, 0};
thread_local constinit dim3 blockDim;
thread_local constinit dim3 gridDim;

namespace {

constexpr size_t kStackBytes = 256 << 10;
constexpr size_t kGuard = 4096;
constexpr int kWarp = 32;

// Memory below which nothing is accessible.
class Stack {
 public:
  Stack() {
    memory_ = mmap(nullptr, kGuard + kStackBytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) std::abort();
    begin_ = static_cast<char*>(memory_) + kGuard;
    if (mprotect(begin_, kStackBytes, PROT_READ | PROT_WRITE) != 0) {
      std::abort();
    }
  }
  ~Stack() {
#ifdef __SANITIZE_ADDRESS__
    // What is mapped here next would inherit the marks of the last frames.
    ASAN_UNPOISON_MEMORY_REGION(begin_, kStackBytes);
#endif
    munmap(memory_, kGuard + kStackBytes);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  char* begin() const { return begin_; }

 private:
  void* memory_;
  char* begin_;
};

enum class Waits { kForNothing, kForBlock, kForWarp };

struct Thread;

// A stack on which threads of the device run, one after another unless one
// waits.
struct Fiber {
  explicit Fiber(void (*function)())
      : context(stack.begin(), kStackBytes, function) {}

  Stack stack;
  Context context;
  Thread* thread = nullptr;
};

struct Barrier {
  int arrived = 0;
  uint64_t round = 0;
};

struct Thread {
  enum class State { kNotStarted, kRunning, kDone };
  State state = State::kNotStarted;
  Waits waits = Waits::kForNothing;
  const Barrier* barrier = nullptr;  // at which it waits
  uint64_t round = 0;                // and since when
  unsigned exchanges = 0;
  Fiber* fiber = nullptr;
};

struct Warp {
  // For the lanes of a mask, by the first of them: others may wait elsewhere.
  Barrier barriers[kWarp];
  alignas(16) char slots[2][kWarp][16];
};

class BlockRunner {
 public:
  std::string run(dim3 grid, dim3 block, const std::function<void()>& thread);

  void wait_for_block() {
    arrive(block_barrier_, static_cast<int>(threads_.size()), Waits::kForBlock);
  }
  void wait_for_warp(unsigned mask) {
    arrive(warp().barriers[std::countr_zero(mask)],
           std::min(warp_size(), std::popcount(mask)), Waits::kForWarp);
  }
  char (*next_exchange())[16] {
    return warp().slots[running_->exchanges++ % 2];
  }
  uint64_t meetings() const { return meetings_; }

 private:
  static void run_fiber();

  uint32_t draw() {  // xorshift
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    return random_;
  }
  Warp& warp() { return warps_[index_of(*running_) / kWarp]; }
  int warp_size() const {
    const size_t first = index_of(*running_) / kWarp * kWarp;
    return static_cast<int>(std::min<size_t>(kWarp, threads_.size() - first));
  }
  size_t index_of(const Thread& thread) const {
    return static_cast<size_t>(&thread - threads_.data());
  }
  static bool can_go_on(const Thread& thread) {
    return thread.waits == Waits::kForNothing ||
           thread.round != thread.barrier->round;
  }

  void arrive(Barrier& barrier, int expected, Waits waits);
  std::string run_block();
  void add_fiber();
  void resume(Thread& thread);
  std::string describe_stuck() const;
  void abandon();

  const std::function<void()>* body_ = nullptr;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  Barrier block_barrier_;
  Thread* running_ = nullptr;
  Context scheduler_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  uint32_t random_ = 2463534242;
  uint64_t meetings_ = 0;
};

thread_local BlockRunner* runner = nullptr;

void BlockRunner::run_fiber() {
  BlockRunner& self = *runner;
  Fiber& fiber = *self.running_->fiber;
  fiber.context.arrived_from(self.scheduler_);
  for (;;) {
    (*self.body_)();
    fiber.thread->state = Thread::State::kDone;
    fiber.thread->fiber = nullptr;
    self.idle_.push_back(&fiber);
    fiber.context.leave_for(self.scheduler_);
  }
}

void BlockRunner::arrive(Barrier& barrier, int expected, Waits waits) {
  if (++barrier.arrived == expected) {
    barrier.arrived = 0;
    ++barrier.round;
    if (waits == Waits::kForBlock) ++meetings_;
    return;
  }
  Thread& self = *running_;
  self.waits = waits;
  self.barrier = &barrier;
  self.round = barrier.round;
  self.fiber->context.leave_for(scheduler_);
  self.waits = Waits::kForNothing;
}

void BlockRunner::add_fiber() {
  fibers_.push_back(std::make_unique<Fiber>(run_fiber));
  idle_.push_back(fibers_.back().get());
}

void BlockRunner::resume(Thread& thread) {
  if (thread.state == Thread::State::kNotStarted) {
    if (idle_.empty()) add_fiber();
    thread.fiber = idle_.back();
    idle_.pop_back();
    thread.fiber->thread = &thread;
    thread.state = Thread::State::kRunning;
  }
  running_ = &thread;
  const auto index = static_cast<unsigned>(index_of(thread));
  threadIdx = {index % blockDim.x, index / blockDim.x % blockDim.y,
               index / blockDim.x / blockDim.y};
  scheduler_.leave_for(thread.fiber->context);
}

std::string BlockRunner::describe_stuck() const {
  const auto waiting =
      std::find_if(threads_.begin(), threads_.end(), [](const Thread& thread) {
        return thread.state == Thread::State::kRunning;
      });
  const auto elsewhere =
      std::find_if(threads_.begin(), threads_.end(), [&](const Thread& thread) {
        return thread.state == Thread::State::kDone ||
               thread.waits != waiting->waits;
      });
  const auto place = [](const Thread& thread) -> std::string {
    if (thread.state == Thread::State::kDone) return "has ended";
    return thread.waits == Waits::kForBlock
               ? "waits at __syncthreads"
               : "waits for its warp (__syncwarp or __shfl_sync)";
  };
  std::string text = str("block ", blockIdx.x, ": thread ", index_of(*waiting),
                         " ", place(*waiting));
  if (elsewhere != threads_.end()) {
    text += str(", but thread ", index_of(*elsewhere), " ", place(*elsewhere));
  }
  return text;
}

// Forgets the threads that wait: what they own is not destroyed.
void BlockRunner::abandon() {
  idle_.clear();
  fibers_.clear();
}

std::string BlockRunner::run_block() {
  const size_t count = threads_.size();
  std::fill(threads_.begin(), threads_.end(), Thread{});
  for (Warp& warp : warps_) std::ranges::fill(warp.barriers, Barrier());
  block_barrier_ = {};
  ++meetings_;
  // From any thread, upwards or downwards.
  const size_t first = draw() % count;
  const bool upwards = draw() % 2 == 0;
  size_t left = count;
  while (left > 0) {
    bool progress = false;
    for (size_t step = 0; step < count; ++step) {
      Thread& thread =
          threads_[(upwards ? first + step : first + count - step) % count];
      if (thread.state == Thread::State::kDone || !can_go_on(thread)) continue;
      progress = true;
      resume(thread);
      if (thread.state == Thread::State::kDone) --left;
    }
    if (!progress) return describe_stuck();
  }
  return "";
}

std::string BlockRunner::run(dim3 grid, dim3 block,
                             const std::function<void()>& thread) {
  scheduler_.adopt_thread();
  body_ = &thread;
  gridDim = grid;
  blockDim = block;
  const size_t count = size_t{block.x} * block.y * block.z;
  threads_.resize(count);
  warps_.resize((count + kWarp - 1) / kWarp);
  const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  const uint64_t first = draw() % blocks;
  for (uint64_t b = 0; b < blocks; ++b) {
    const uint64_t index = (first + b) % blocks;
    blockIdx = {static_cast<unsigned>(index % grid.x),
                static_cast<unsigned>(index / grid.x % grid.y),
                static_cast<unsigned>(index / grid.x / grid.y)};
    std::string wrong = run_block();
    if (!wrong.empty()) {
      abandon();
      return wrong;
    }
  }
  return "";
}

}  // namespace

std::string run_grid(dim3 grid, dim3 block,
                     const std::function<void()>& thread) {
  thread_local BlockRunner own;
  runner = &own;
  return own.run(grid, block, thread);
}

void wait_for_block() { runner->wait_for_block(); }
void wait_for_warp(unsigned mask) { runner->wait_for_warp(mask); }
uint64_t meetings() { return runner->meetings(); }
char (*next_exchange())[16] { return runner->next_exchange(); }
int lane() {
  const unsigned index =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  return static_cast<int>(index % 32);
}

}  // namespace catena::cuda::emulation
