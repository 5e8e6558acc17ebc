#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace catena {

enum class Backend : uint8_t { kNative, kCuda };
inline constexpr int kBackendCount = 2;

// Where an array lives: "native:0" is the host's memory, "cuda:1" the second
// GPU. Native devices of other indexes share the host's memory but count as
// devices of their own, so that code for several devices can be tested
// anywhere.
class Device {
 public:
  constexpr Device() = default;
  constexpr Device(Backend backend, int index)
      : backend_(backend), index_(static_cast<int16_t>(index)) {}

  // From "native", "native:1", "cuda", "cuda:0". DeviceError on other text, on
  // a negative index or one past kMaxDevices.
  static Device parse(std::string_view name);

  constexpr Backend backend() const { return backend_; }
  constexpr int index() const { return index_; }
  constexpr bool is_native() const { return backend_ == Backend::kNative; }
  std::string name() const;

  friend constexpr bool operator==(Device, Device) = default;

 private:
  Backend backend_ = Backend::kNative;
  int16_t index_ = 0;
};

inline constexpr int kMaxDevices = 64;

inline constexpr Device native_device(int index = 0) {
  return {Backend::kNative, index};
}
inline constexpr Device cuda_device(int index = 0) {
  return {Backend::kCuda, index};
}

std::string to_string(Device device);
std::ostream& operator<<(std::ostream& os, Device device);

// Where the creation routines of this thread put new arrays; native:0 at first.
Device current_device();
void set_current_device(Device device);

// Makes a device current for a block.
class DeviceScope {
 public:
  explicit DeviceScope(Device device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device previous_;
};

// What a backend does with memory. The CPU's table is built in; the CUDA
// library installs its own when it is linked.
struct MemoryBackend {
  // How many devices there are; 0 when the driver or the hardware is missing.
  int (*device_count)();
  // Memory of at least `bytes` > 0, aligned to 64 bytes. OutOfMemoryError.
  void* (*allocate)(Device device, int64_t bytes);
  void (*deallocate)(Device device, void* data, int64_t bytes) noexcept;
  // Copies between two of its own devices or, in the order of the device's
  // stream, from or to the host. The host side may be reused on return.
  void (*copy)(void* to, Device to_device, const void* from, Device from_device,
               int64_t bytes);
  // Waits for everything that was started on the device.
  void (*synchronize)(Device device);
  // A few words on the device (its model, its memory) for people; may be null.
  std::string (*describe)(Device device) = nullptr;
};

// The table of a backend, or null when it is not linked.
const MemoryBackend* memory_backend(Backend backend);
void set_memory_backend(Backend backend, const MemoryBackend* table);

// The table of device's backend after a check that the device exists.
// DeviceError naming `operation` otherwise, with the target to depend on.
const MemoryBackend& require_device(Device device, std::string_view operation);

// Waits for everything that was started on the device (nothing on native).
void synchronize(Device device);

}  // namespace catena
