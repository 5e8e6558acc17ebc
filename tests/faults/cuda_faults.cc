#include "catena/tests/faults/cuda_faults.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/memory.h"
#include "catena/cuda/pinned_memory.h"

namespace catena::testing {
namespace {

bool call_fails(const char* function) {
  const std::string_view name = function;
  const bool is_request = name == "cudaMalloc" || name == "cudaMallocManaged" ||
                          name == "cudaHostAlloc";
  const bool is_refused =
      is_request && is_to_fail(Fault::kCudaMemory, function);
  return is_to_fail(Fault::kCuda, function) || is_refused;
}

int64_t sum_over_gpus(int64_t (*count)(int device)) {
  int64_t sum = 0;
  for (int device = 0; device < cuda::device_count(); ++device) {
    sum += count(device);
  }
  return sum;
}

// Throws if it is the pool's turn.
void count_request(int64_t bytes) {
  if (!is_to_fail(Fault::kCudaPool)) return;
  raise<OutOfMemoryError>("cuda: an injected fault in a request for ", bytes,
                          " bytes");
}

// From now on calls fail when a FaultScope says so, and what GPUs hold is
// watched.
void inject_cuda_faults() {
  cuda::emulation::fail_calls(call_fails);
  watch_holding("bytes of the pools of GPUs", [] {
    return sum_over_gpus([](int device) {
      return cuda::memory_pool(device).statistics().used_bytes;
    });
  });
  watch_holding("bytes of page-locked memory", [] {
    return cuda::pinned_memory_pool().statistics().used_bytes;
  });
  watch_holding("bytes of GPUs", [] {
    return sum_over_gpus([](int device) {
      return static_cast<int64_t>(cuda::emulation::used_device_memory(device));
    });
  });
}

// Waits for their work, and gives what is cached to the driver.
void settle_gpus() {
  for (int device = 0; device < cuda::device_count(); ++device) {
    cuda::synchronize(device);
  }
  cuda::free_all_blocks();
  cuda::pinned_memory_pool().free_all_blocks();
}

// Leaves GPUs as it finds them.
class SettledTrial final : public FaultTrial {
 public:
  explicit SettledTrial(const MakeTrial& make) : trial_(make()) {
    settle_gpus();
  }
  ~SettledTrial() override {
    trial_.reset();
    settle_gpus();
  }
  void run() override { trial_->run(); }
  std::string state() override { return trial_->state(); }

 private:
  std::unique_ptr<FaultTrial> trial_;
};

}  // namespace

void expect_gpu_faults_do_no_harm(const FaultSubject& subject, int64_t most) {
  static const bool injected [[maybe_unused]] = [] {
    inject_cuda_faults();
    return true;
  }();
  const FaultSubject settled{
      subject.name,
      [&subject] { return std::make_unique<SettledTrial>(subject.make); }};
  expect_faults_do_no_harm(
      settled, {Fault::kCuda, Fault::kCudaMemory, Fault::kCudaPool}, most);
}

}  // namespace catena::testing

using catena::testing::count_request;

extern "C" {

// The linker's option --wrap sends calls of MemoryPool::allocate(int64_t,
// StreamPtr) and PinnedMemoryPool::allocate(int64_t) here, so that the pools
// themselves need no hook.
void* __real__ZN6catena4cuda10MemoryPool8allocateElP11CUstream_st(void* pool,
                                                                  int64_t bytes,
                                                                  void* stream);
void* __wrap__ZN6catena4cuda10MemoryPool8allocateElP11CUstream_st(
    void* pool, int64_t bytes, void* stream) {
  count_request(bytes);
  return __real__ZN6catena4cuda10MemoryPool8allocateElP11CUstream_st(
      pool, bytes, stream);
}

void* __real__ZN6catena4cuda16PinnedMemoryPool8allocateEl(void* pool,
                                                          int64_t bytes);
void* __wrap__ZN6catena4cuda16PinnedMemoryPool8allocateEl(void* pool,
                                                          int64_t bytes) {
  count_request(bytes);
  return __real__ZN6catena4cuda16PinnedMemoryPool8allocateEl(pool, bytes);
}

}  // extern "C"
