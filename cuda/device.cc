#include "catena/cuda/device.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/cuda/error.h"
#include "catena/cuda/failure.h"
#include "catena/cuda/host_wait.h"

namespace catena::cuda {
namespace {

struct Devices {
  int count = 0;
  cudaError_t status = cudaSuccess;
};

const Devices& devices() noexcept {
  static const Devices found = [] {
    Devices result;
    result.status = cudaGetDeviceCount(&result.count);
    ignore(result.status);
    const bool ok = result.status == cudaSuccess;
    result.count = ok ? std::min(result.count, kMaxDevices) : 0;
    return result;
  }();
  return found;
}

void check_index(int device, std::string_view operation) {
  if (device < 0 || device >= device_count()) {
    raise<DeviceError>(operation, ": expected a GPU index below ",
                       device_count(), ", got ", device);
  }
}

DeviceProperties query(int device) {
  cudaDeviceProp raw;
  check(cudaGetDeviceProperties(&raw, device), "cudaGetDeviceProperties");
  return {raw.name,
          raw.major,
          raw.minor,
          raw.multiProcessorCount,
          static_cast<int64_t>(raw.totalGlobalMem),
          static_cast<int64_t>(raw.sharedMemPerBlock)};
}

}  // namespace

int device_count() noexcept { return devices().count; }

bool available() noexcept { return device_count() > 0; }

void check_cuda_available() {
  if (available()) return;
  const cudaError_t status = devices().status;
  if (status == cudaSuccess) {
    raise<DeviceError>("CUDA: expected a GPU, got none from the driver");
  }
  raise<DeviceError>("CUDA: expected a GPU, got ", cudaGetErrorName(status),
                     " (", cudaGetErrorString(status), ")");
}

const DeviceProperties& properties(int device) {
  check_index(device, "cuda::properties");
  static std::array<std::once_flag, kMaxDevices> asked;
  static std::array<DeviceProperties, kMaxDevices> known;
  std::call_once(asked[device], [&] { known[device] = query(device); });
  return known[device];
}

DeviceMemoryInfo memory_info(int device) {
  check_index(device, "cuda::memory_info");
  const DeviceGuard guard(device);
  size_t free = 0;
  size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return {static_cast<int64_t>(free), static_cast<int64_t>(total)};
}

std::string compute_capability(int device) {
  const DeviceProperties& found = properties(device);
  return str(found.major, found.minor);
}

int driver_version() noexcept {
  int version = 0;
  ignore(cudaDriverGetVersion(&version));
  return version;
}

int runtime_version() noexcept {
  int version = 0;
  ignore(cudaRuntimeGetVersion(&version));
  return version;
}

int get_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

int default_device() {
  const Device device = catena::current_device();
  return device.is_native() ? 0 : device.index();
}

// The runtime keeps a thread's device in a thread-local variable, so querying
// it is cheap and always agrees with a user's cudaSetDevice.
DeviceGuard::DeviceGuard(int device)
    : previous_(get_device()), switched_(previous_ != device) {
  if (switched_) check(cudaSetDevice(device), "cudaSetDevice");
}

DeviceGuard::~DeviceGuard() {
  if (switched_) ignore(cudaSetDevice(previous_));
}

void synchronize(int device) {
  check_host_wait(device, "synchronize", "it waits for the device");
  const DeviceGuard guard(device);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  throw_failure(device);
}

bool can_access_peer(int device, int peer) {
  check_index(device, "cuda::can_access_peer");
  check_index(peer, "cuda::can_access_peer");
  if (device == peer) return true;
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, peer), "cudaDeviceCanAccessPeer");
  return can != 0;
}

bool enable_peer_access(int device, int peer) {
  if (!can_access_peer(device, peer)) return false;
  if (device == peer) return true;
  const DeviceGuard guard(device);
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    ignore(status);
    return true;
  }
  // A device has at most eight peers without a switch between them.
  if (cudaGetErrorName(status) == std::string_view("cudaErrorTooManyPeers")) {
    ignore(status);
    return false;
  }
  check(status, "cudaDeviceEnablePeerAccess");
  return true;
}

}  // namespace catena::cuda
