#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The GPUs of this machine. A device is named by its index among those that
// the driver shows (CUDA_VISIBLE_DEVICES), as in catena's "cuda:1".
namespace catena::cuda {

// How many GPUs there are: 0 when there is none, no driver, or one too old.
// At most kMaxDevices. Never throws.
int device_count() noexcept;

// Whether there is a GPU to work with.
bool available() noexcept;

// DeviceError that says what is missing, unless available().
void check_cuda_available();

struct DeviceProperties {
  std::string name;
  int major = 0;  // of the compute capability
  int minor = 0;
  int multiprocessors = 0;
  int64_t memory_bytes = 0;
  int64_t shared_bytes_per_block = 0;
};

// Asked of the driver once per device. DeviceError when there is no such GPU.
const DeviceProperties& properties(int device);

// The compute capability without its dot: "90".
std::string compute_capability(int device);

// The versions of the driver's and the runtime's interface as 1000 * major +
// 10 * minor; 0 for a driver that is not installed.
int driver_version() noexcept;
int runtime_version() noexcept;

// The device that CUDA calls of this thread go to.
int get_device();

// The index of catena's current device when that is a GPU, else 0: the default
// for new streams and events.
int default_device();

// Directs the CUDA calls of this thread to a device for a block. CudaError when
// there is no such GPU.
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

// Waits for everything that was started on the device, and reports what failed
// on the way. CudaError.
void synchronize(int device);

// Whether kernels of `device` may read the memory of `peer`.
bool can_access_peer(int device, int peer);
// Lets them. False, and nothing changed, when the hardware cannot.
bool enable_peer_access(int device, int peer);

}  // namespace catena::cuda
