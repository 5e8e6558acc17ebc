#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "catena/array/core/device.h"

// How a backend is plugged in: what catena asks of it apart from kernels, which
// fill slots (array/kernels/kernel_slot.h).
namespace catena {

class CapturedWork;
class DeviceMark;
class HostTransfer;
struct DeferredReports;

// The functions of a backend. The CPU's table is built in; the CUDA library
// installs its own when linked. Those with a default may be null, where a
// backend does not offer them.
struct BackendTable {
  // The number of devices; 0 if the driver or the hardware is missing.
  int (*device_count)();
  // At least `bytes` > 0 bytes, 64-byte aligned. Throws OutOfMemoryError.
  void* (*allocate)(Device device, int64_t bytes);
  void (*deallocate)(Device device, void* data, int64_t bytes) noexcept;
  // Copies between two of this backend's devices, or from or to the host in the
  // order of the device's stream. Host memory may be reused on return.
  void (*copy)(void* to, Device to_device, const void* from, Device from_device,
               int64_t bytes);
  // Waits for all work submitted to the device.
  void (*synchronize)(Device device);
  // A description of the device (model, memory) for humans.
  std::string (*describe)(Device device) = nullptr;
  // Called when the calling thread's current device changes from or to one of
  // this backend, or is set again: CUDA has a current device of its own.
  void (*follow_current_device)(Device from, Device to) noexcept = nullptr;

  // Memory for errors that the device finds (deferred_errors.h), shared with
  // the host and never freed.
  DeferredReports* (*allocate_reports)(Device device) = nullptr;

  // Host memory that the backend's devices access directly: page-locked.
  // Throws OutOfMemoryError.
  std::shared_ptr<void> (*allocate_pinned)(int64_t bytes) = nullptr;
  bool (*is_pinned)(const void* data) = nullptr;
  // A queue of copies from such memory (host_transfer.h). Throws DeviceError
  // when the device does not exist.
  std::unique_ptr<HostTransfer> (*open_transfer)(Device device) = nullptr;

  // capture_work() in captured_work.h; null for a backend that cannot capture.
  std::unique_ptr<CapturedWork> (*capture)(Device device,
                                           const std::function<void()>& work,
                                           const CapturedWork* other) = nullptr;

  // For profilers (profiling.h): the bytes that the pools of all devices hold
  // from the system or the driver, and those that are allocated.
  int64_t (*reserved_bytes)() = nullptr;
  int64_t (*used_bytes)() = nullptr;
  // Open a named range of this thread in the vendor's profiler, and close the
  // innermost one.
  void (*push_range)(const std::string& name) = nullptr;
  void (*pop_range)() noexcept = nullptr;
  // Marks the current place in this thread's current stream of a device; null
  // where functions have ended when they return.
  std::shared_ptr<const DeviceMark> (*mark)(int device) = nullptr;
};

// Installs a backend's table, which must outlive all use; null removes it.
void set_backend_table(Backend backend, const BackendTable* table);

}  // namespace catena
