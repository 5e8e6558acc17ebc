#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The GPUs of this machine. A device is identified by its index among those
// visible to the driver (CUDA_VISIBLE_DEVICES), as in "cuda:1".
namespace catena::cuda {

// The number of GPUs, at most kMaxDevices; 0 without a GPU, or if the driver is
// missing or too old.
int device_count() noexcept;

// Whether there is a usable GPU.
bool available() noexcept;

// Throws DeviceError stating what is missing unless available().
void check_cuda_available();

// What the driver says of a GPU; sizes in bytes.
struct DeviceProperties {
  std::string name;
  int major = 0;  // of the compute capability
  int minor = 0;
  int multiprocessors = 0;
  int64_t memory_bytes = 0;
  int64_t shared_bytes_per_block = 0;
};

// Queried from the driver once per device. Throws DeviceError when the GPU does
// not exist.
const DeviceProperties& properties(int device);

// How much memory a GPU has, and how much of it nobody has allocated.
struct DeviceMemoryInfo {
  int64_t free_bytes = 0;
  int64_t total_bytes = 0;
};

// The device's memory now, of all processes. What pools have cached is not
// free.
DeviceMemoryInfo memory_info(int device);

// The compute capability without the dot: "90".
std::string compute_capability(int device);

// The API versions of the driver and the runtime as 1000 * major + 10 * minor;
// 0 if no driver is installed.
int driver_version() noexcept;
int runtime_version() noexcept;

// The current CUDA device of this thread.
int get_device();

// The index of catena's current device if it is a GPU, else 0: the default for
// new streams and events.
int default_device();

// Makes a device the current CUDA device of this thread for a scope. Throws
// CudaError when the GPU does not exist.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_;
  bool switched_;
};

// Waits for all work submitted to the device. Throws CudaError, also for
// earlier asynchronous failures.
void synchronize(int device);

// Whether kernels on `device` can access the memory of `peer`.
bool can_access_peer(int device, int peer);
// Enables peer access, as the first copy between two GPUs does by itself.
// Returns false, without effect, if the hardware lacks it, or the device has as
// many peers as it can have.
bool enable_peer_access(int device, int peer);

}  // namespace catena::cuda
