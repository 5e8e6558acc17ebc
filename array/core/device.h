#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>

namespace catena {

// The host's CPU and NVIDIA's GPUs.
enum class Backend : uint8_t { kNative, kCuda };
inline constexpr int kBackendCount = 2;

// Where an array lives: "native:0" is the host's memory, "cuda:1" the second
// GPU. Native devices with other indices share the host's memory but are
// distinct devices, so that multi-device code can be tested anywhere.
class Device {
 public:
  constexpr Device() = default;
  // An index beyond 16 bits becomes the nearest of 16 bits, which no device
  // has, so that the first use of the device throws.
  constexpr Device(Backend backend, int index)
      : backend_(backend), index_(nearest_of_16_bits(index)) {}

  // Parses "native", "native:1", "cuda", "cuda:0". Throws DeviceError on other
  // text and on an index outside [0, kMaxDevices).
  static Device parse(std::string_view name);

  constexpr Backend backend() const { return backend_; }
  constexpr int index() const { return index_; }
  constexpr bool is_native() const { return backend_ == Backend::kNative; }
  // Whether the host reads and writes its memory directly.
  constexpr bool shares_host_memory() const { return is_native(); }
  std::string name() const;

  friend constexpr bool operator==(Device, Device) = default;

 private:
  static constexpr int16_t nearest_of_16_bits(int index) {
    using Limits = std::numeric_limits<int16_t>;
    if (index < Limits::min()) return Limits::min();
    if (index > Limits::max()) return Limits::max();
    return static_cast<int16_t>(index);
  }

  Backend backend_ = Backend::kNative;
  int16_t index_ = 0;
};

// The largest number of devices of a backend.
inline constexpr int kMaxDevices = 64;

// The CPU, "native", and a GPU, "cuda:0".
inline constexpr Device native_device(int index = 0) {
  return {Backend::kNative, index};
}
inline constexpr Device cuda_device(int index = 0) {
  return {Backend::kCuda, index};
}

// "native", "native:1", "cuda:0".
std::string to_string(Device device);
std::ostream& operator<<(std::ostream& os, Device device);

// The device on which this thread's creation routines place new arrays;
// initially native:0.
Device current_device();
void set_current_device(Device device);

// Makes a device current for a scope.
class DeviceScope {
 public:
  explicit DeviceScope(Device device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device previous_;
};

// What a backend offers (backend.h), or null if it is not linked.
struct BackendTable;
const BackendTable* backend_table(Backend backend);

// The table of the device's backend. Throws DeviceError when the device does
// not exist, naming `operation` and, if the backend is not linked, the target
// to depend on.
const BackendTable& require_device(Device device, std::string_view operation);

// Waits for all work submitted to the device (a no-op on native).
void synchronize(Device device);

}  // namespace catena
