#include "catena/array/cuda/testing/device_emulation.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

thread_local catena::cuda::emulation::Dim3 threadIdx;
thread_local catena::cuda::emulation::Dim3 blockIdx;
catena::cuda::emulation::Dim3 blockDim;
catena::cuda::emulation::Dim3 gridDim;

namespace catena::cuda::emulation {
namespace {

constexpr int kWarp = 32;

// std::barrier spins, which is slow with more threads than cores.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}
  void wait() {
    std::unique_lock lock(mutex_);
    if (++arrived_ == threads_) {
      arrived_ = 0;
      ++phase_;
      all_arrived_.notify_all();
      return;
    }
    all_arrived_.wait(lock, [&, phase = phase_] { return phase_ != phase; });
  }

 private:
  const int threads_;
  std::mutex mutex_;
  std::condition_variable all_arrived_;
  int arrived_ = 0;
  int64_t phase_ = 0;
};

struct Warp {
  Barrier barrier{kWarp};
  uint32_t values[kWarp];
};

struct Block {
  explicit Block(int threads) : barrier(threads), warps(threads / kWarp) {}
  Barrier barrier;
  std::vector<Warp> warps;
};

Block* running = nullptr;

}  // namespace

void run_grid(int blocks, int threads, absl::FunctionRef<void()> body) {
  gridDim.x = static_cast<uint32_t>(blocks);
  blockDim.x = static_cast<uint32_t>(threads);
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) body();
  }
}

void run_cooperative_grid(int blocks, int threads,
                          absl::FunctionRef<void()> body) {
  gridDim.x = static_cast<uint32_t>(blocks);
  blockDim.x = static_cast<uint32_t>(threads);
  Block block(threads);
  running = &block;
  std::vector<std::thread> workers;
  for (uint32_t thread = 0; thread < blockDim.x; ++thread) {
    workers.emplace_back([thread, &body] {
      threadIdx.x = thread;
      for (uint32_t i = 0; i < gridDim.x; ++i) {
        blockIdx.x = i;
        body();
        __syncthreads();  // the next block has the shared memory to itself
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  running = nullptr;
}

}  // namespace catena::cuda::emulation

void __syncthreads() { catena::cuda::emulation::running->barrier.wait(); }

namespace {

// The value of the lane whose number is source(own number).
template <class Source>
uint32_t exchange(uint32_t value, Source source) {
  using catena::cuda::emulation::kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  catena::cuda::emulation::Warp& warp =
      catena::cuda::emulation::running->warps[threadIdx.x / kWarp];
  warp.values[lane] = value;
  warp.barrier.wait();
  const uint32_t result = warp.values[source(lane)];
  warp.barrier.wait();
  return result;
}

}  // namespace

uint32_t __shfl_down_sync(uint32_t /*mask*/, uint32_t value, int distance) {
  return exchange(value, [=](int lane) {
    return lane + distance < catena::cuda::emulation::kWarp ? lane + distance
                                                            : lane;
  });
}

uint32_t __shfl_xor_sync(uint32_t /*mask*/, uint32_t value, int bits) {
  return exchange(value, [=](int lane) { return lane ^ bits; });
}
