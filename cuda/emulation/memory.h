#pragma once

#include <cstddef>

// The memory of the emulated devices: pages that no code can touch but what
// runs on the device.
namespace catena::cuda::emulation {

inline constexpr int kMaxEmulatedDevices = 8;
// What each device has; no more can be allocated.
inline constexpr size_t kDeviceMemory = size_t{4} << 30;

// Null if the device has not enough left. The bytes are 0xcb until something
// writes them.
void* allocate_device_memory(int device, size_t bytes);
// False unless `data` is the start of an allocation. Its pages are never used
// again, so that a later access faults.
bool free_device_memory(void* data);
size_t used_device_memory(int device);
// The device that owns the address, also of freed memory; -1 for the host's.
int device_of(const void* data);

// Freed pages are never used again either.
void* allocate_pinned_memory(size_t bytes);
bool free_pinned_memory(void* data);
void* allocate_managed_memory(size_t bytes);
bool free_managed_memory(void* data);
// Also of managed memory, and of what else devices and the host share.
bool is_pinned(const void* data);
bool is_managed(const void* data);

// Memory that belongs to someone else, from now on like managed memory.
void share_memory(void* data, size_t bytes);

// The running code may touch memory of these devices, a bit for each, and no
// other's.
void open_devices(unsigned devices);

}  // namespace catena::cuda::emulation
