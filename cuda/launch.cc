#include "catena/cuda/launch.h"

#include <absl/container/flat_hash_map.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <tuple>

#include "catena/array/core/error.h"
#include "catena/array/core/work_record.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {

void launch(const void* kernel, int64_t blocks, int threads, void** params,
            int device) {
  constexpr int64_t kMaxBlocks = std::numeric_limits<int32_t>::max();
  if (blocks > kMaxBlocks) {
    raise<ShapeError>("CUDA: expected at most ", kMaxBlocks,
                      " blocks in a launch, got ", blocks);
  }
  if (WorkRecord* record = current_work_record()) {
    record->add({reinterpret_cast<uintptr_t>(kernel),
                 static_cast<uint64_t>(blocks),
                 static_cast<uint64_t>(threads)});
  }
  const DeviceGuard guard(device);
  check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                         dim3(static_cast<unsigned>(threads)), params,
                         /*shared_bytes=*/0, current_stream(device)),
        "cudaLaunchKernel");
}

int64_t resident_blocks(const void* kernel, int threads, int device) {
  using Key = std::tuple<const void*, int, int>;
  static std::mutex mutex;
  static auto& known = *new absl::flat_hash_map<Key, int64_t>;
  const Key key(kernel, threads, device);
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) {
      return found->second;
    }
  }
  const DeviceGuard guard(device);
  int blocks = 0;
  check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                    /*dynamic_shared_bytes=*/0),
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const int64_t resident =
      int64_t{std::max(blocks, 1)} * properties(device).multiprocessors;
  const std::lock_guard lock(mutex);
  return known.emplace(key, resident).first->second;
}

}  // namespace catena::cuda
