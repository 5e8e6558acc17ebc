// cuda_runtime_api.h: errors, devices, launches.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "catena/cuda/emulation/block.h"
#include "catena/cuda/emulation/devices.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/kernel_registry.h"
#include "catena/cuda/emulation/memory.h"
#include "catena/cuda/emulation/runtime.h"
#include "cuda_runtime_api.h"

using namespace catena::cuda::emulation;  // NOLINT

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define CATENA_NAME(name) \
  case name:              \
    return #name
    CATENA_NAME(cudaSuccess);
    CATENA_NAME(cudaErrorInvalidValue);
    CATENA_NAME(cudaErrorMemoryAllocation);
    CATENA_NAME(cudaErrorInvalidConfiguration);
    CATENA_NAME(cudaErrorInvalidDeviceFunction);
    CATENA_NAME(cudaErrorInvalidDevice);
    CATENA_NAME(cudaErrorInvalidKernelImage);
    CATENA_NAME(cudaErrorNoKernelImageForDevice);
    CATENA_NAME(cudaErrorInvalidPtx);
    CATENA_NAME(cudaErrorUnsupportedPtxVersion);
    CATENA_NAME(cudaErrorJitCompilationDisabled);
    CATENA_NAME(cudaErrorInvalidSource);
    CATENA_NAME(cudaErrorInvalidResourceHandle);
    CATENA_NAME(cudaErrorSymbolNotFound);
    CATENA_NAME(cudaErrorNotReady);
    CATENA_NAME(cudaErrorPeerAccessAlreadyEnabled);
    CATENA_NAME(cudaErrorLaunchFailure);
    CATENA_NAME(cudaErrorStreamCaptureUnsupported);
    CATENA_NAME(cudaErrorStreamCaptureInvalidated);
    CATENA_NAME(cudaErrorStreamCaptureUnjoined);
    CATENA_NAME(cudaErrorStreamCaptureIsolation);
    CATENA_NAME(cudaErrorCapturedEvent);
#undef CATENA_NAME
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidKernelImage:
      return "device kernel image is invalid";
    case cudaErrorNoKernelImageForDevice:
      return "no kernel image is available for execution on the device";
    case cudaErrorInvalidPtx:
      return "a PTX JIT compilation failed";
    case cudaErrorUnsupportedPtxVersion:
      return "the provided PTX was compiled with an unsupported toolchain.";
    case cudaErrorJitCompilationDisabled:
      return "PTX JIT compilation was disabled";
    case cudaErrorInvalidSource:
      return "device kernel image is invalid";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorSymbolNotFound:
      return "named symbol not found";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorPeerAccessAlreadyEnabled:
      return "peer access is already enabled";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated:
      return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureUnjoined:
      return "capturing stream has unjoined work";
    case cudaErrorStreamCaptureIsolation:
      return "dependency created on uncaptured work in another stream";
    case cudaErrorCapturedEvent:
      return "operation not permitted on an event last recorded in a capturing "
             "stream";
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  const auto lock = Devices::get().lock();
  const cudaError_t error = std::exchange(last_error, cudaSuccess);
  return Devices::get().sticky() != cudaSuccess ? Devices::get().sticky()
                                                : error;
}
cudaError_t cudaPeekAtLastError() {
  const auto lock = Devices::get().lock();
  return Devices::get().sticky() != cudaSuccess ? Devices::get().sticky()
                                                : last_error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  *count = Devices::get().count();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (is_to_fail()) return set_last(cudaErrorInvalidDevice);
  if (!Devices::get().exists(device)) {
    return set_last(cudaErrorInvalidDevice);
  }
  current_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  if (!Devices::get().exists(device)) {
    return set_last(cudaErrorInvalidDevice);
  }
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "%s",
                "Emulated GPU");
  properties->totalGlobalMem = kDeviceMemory;
  properties->sharedMemPerBlock = 48 << 10;
  properties->major = 9;
  properties->minor = 0;
  properties->multiProcessorCount = 3;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  if (!Devices::get().exists(device)) {
    return set_last(cudaErrorInvalidDevice);
  }
  std::snprintf(id, static_cast<size_t>(length), "0000:%02X:00.0", device + 1);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  const cudaError_t status = guarded([](Devices& devices) {
    if (devices.breaks_captures(current_device)) {
      return cudaErrorStreamCaptureUnsupported;
    }
    ++devices.host_waits;
    devices.wait_for_device(current_device);
    return cudaSuccess;
  });
  return set_last(reported(status, cudaErrorLaunchFailure));
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (is_to_fail()) return set_last(cudaErrorInvalidDevice);
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (is_to_fail()) return set_last(cudaErrorInvalidDevice);
  if (flags != 0 || !Devices::get().exists(peer)) {
    return set_last(cudaErrorInvalidValue);
  }
  return guarded([&](Devices& devices) {
    return devices.enable_peer(current_device, peer)
               ? cudaSuccess
               : cudaErrorPeerAccessAlreadyEnabled;
  });
}
cudaError_t cudaDriverGetVersion(int* version) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block,
                             void** params, size_t /*shared_bytes*/,
                             cudaStream_t stream) {
  if (is_to_fail()) return set_last(cudaErrorLaunchFailure);
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 ||
      block.y == 0 || block.z == 0 || grid.x > 0x7fffffffu ||
      grid.y > 0xffffu || grid.z > 0xffffu ||
      uint64_t{block.x} * block.y * block.z > 1024) {
    return set_last(cudaErrorInvalidConfiguration);
  }
  BindKernel* const bind = find_kernel(kernel);
  if (bind == nullptr) return set_last(cudaErrorInvalidDeviceFunction);
  {
    const auto lock = Devices::get().lock();
    if (Devices::get().failing_launch.strikes()) {
      return set_last(cudaErrorInvalidConfiguration);
    }
    ++Devices::get().launches;
  }
  return submit(stream, [=, thread = bind(kernel, params)] {
    const std::string wrong = run_grid(grid, block, thread);
    if (wrong.empty()) return;
    std::fprintf(stderr, "CUDA emulation: %s: %s\n", name_of(kernel).c_str(),
                 wrong.c_str());
    fail_device(cudaErrorLaunchFailure);
  });
}

cudaError_t cudaFuncSetAttribute(const void* kernel,
                                 cudaFuncAttribute /*attribute*/,
                                 int /*value*/) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  return set_last(find_kernel(kernel) != nullptr
                      ? cudaSuccess
                      : cudaErrorInvalidDeviceFunction);
}

// As if no kernel needed more than 32 registers or much shared memory.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, const void* kernel, int threads,
    size_t /*dynamic_shared_bytes*/) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  constexpr int kThreads = 2048;
  constexpr int kBlocks = 32;
  if (threads <= 0) return set_last(cudaErrorInvalidValue);
  if (find_kernel(kernel) == nullptr) {
    return set_last(cudaErrorInvalidDeviceFunction);
  }
  *blocks = threads > 1024 ? 0 : std::min(kThreads / threads, kBlocks);
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                  const void* kernel) {
  if (is_to_fail()) return set_last(cudaErrorInvalidDeviceFunction);
  if (find_kernel(kernel) == nullptr) {
    return set_last(cudaErrorInvalidDeviceFunction);
  }
  *attributes = {.maxThreadsPerBlock = 1024};
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
