#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/tests/benchmarks/gpu.h"

namespace catena::benchmarks {
namespace {

std::string version(int number) {
  return str(number / 1000, ".", number % 1000 / 10);
}

}  // namespace

void reset_peak_memory(Device device) {
  if (!device.is_native()) cuda::memory_pool(device.index()).reset_peak();
}

std::optional<int64_t> peak_memory(Device device) {
  if (device.is_native()) return std::nullopt;
  return cuda::memory_pool(device.index()).peak().used_bytes;
}

std::string cuda_versions() {
  return str("CUDA ", version(cuda::runtime_version()), ", driver for ",
             version(cuda::driver_version()));
}

}  // namespace catena::benchmarks
