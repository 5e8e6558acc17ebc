#include "catena/cuda/emulation/memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

namespace catena::cuda::emulation {
namespace {

constexpr size_t kPage = 4096;
// Where the kernel has huge pages, protecting one costs as much as protecting a
// small page, and every wait of the host protects all memory.
constexpr size_t kHugePage = size_t{2} << 20;
// Addresses of a device, which are used once. ThreadSanitizer leaves programs
// fewer of them.
#ifdef __SANITIZE_THREAD__
constexpr size_t kAddresses = size_t{1} << 34;
#else
constexpr size_t kAddresses = size_t{1} << 38;
#endif

struct sigaction previous_action;

constexpr size_t round_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

void explain_fault(int signal, siginfo_t* info, void* context);

class DeviceMemory {
 public:
  static DeviceMemory& get() {
    static auto& all = *new DeviceMemory;
    return all;
  }

  void* allocate(int device, size_t bytes) {
    const std::lock_guard lock(mutex_);
    Device& owner = devices_[static_cast<size_t>(device)];
    const bool is_huge = bytes >= kHugePage / 2;
    const size_t page = is_huge ? kHugePage : kPage;
    const size_t size = round_up(bytes, page);
    // With a page between allocations.
    const size_t begin = round_up(owner.next + kPage, page);
    if (owner.used + size > kDeviceMemory) return nullptr;
    if (begin + size > kAddresses) return nullptr;
    char* data = begin_of(device) + begin;
    owner.next = begin + size;
    owner.used += size;
    owner.blocks[data] = size;
    protect(data, size, PROT_READ | PROT_WRITE);
    if (is_huge) madvise(data, size, MADV_HUGEPAGE);
    std::memset(data, 0xcb, size);
    if ((open_ >> device & 1) == 0) protect(data, size, PROT_NONE);
    return data;
  }

  bool free(void* data) {
    const std::lock_guard lock(mutex_);
    const int device = device_of(data);
    if (device < 0) return false;
    Device& owner = devices_[static_cast<size_t>(device)];
    const auto found = owner.blocks.find(static_cast<char*>(data));
    if (found == owner.blocks.end()) return false;
    protect(found->first, found->second, PROT_NONE);
    madvise(found->first, found->second, MADV_DONTNEED);
    owner.used -= found->second;
    owner.blocks.erase(found);
    return true;
  }

  size_t used(int device) {
    const std::lock_guard lock(mutex_);
    return devices_[static_cast<size_t>(device)].used;
  }

  int device_of(const void* data) const {
    const auto offset =
        reinterpret_cast<uintptr_t>(data) - reinterpret_cast<uintptr_t>(base_);
    const size_t device = offset / kAddresses;
    return device < kMaxEmulatedDevices ? static_cast<int>(device) : -1;
  }

  void open(unsigned devices) {
    const std::lock_guard lock(mutex_);
    // Comparing the two bits as bools, GCC 12 with ThreadSanitizer forgets one.
    const unsigned changed = devices ^ open_;
    for (int device = 0; device < kMaxEmulatedDevices; ++device) {
      if ((changed >> device & 1) == 0) continue;
      const bool opens = (devices >> device & 1) != 0;
      for (const auto& [data, size] :
           devices_[static_cast<size_t>(device)].blocks) {
        protect(data, size, opens ? PROT_READ | PROT_WRITE : PROT_NONE);
      }
    }
    open_ = devices;
  }

 private:
  struct Device {
    size_t next = 0;
    size_t used = 0;
    std::map<char*, size_t> blocks;
  };

  DeviceMemory() {
    void* found =
        mmap(nullptr, kAddresses * kMaxEmulatedDevices + kHugePage, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) {
      std::perror("CUDA emulation: addresses for the memory of devices");
      std::abort();
    }
    base_ = reinterpret_cast<char*>(
        round_up(reinterpret_cast<uintptr_t>(found), kHugePage));
    struct sigaction action {};
    action.sa_sigaction = explain_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &previous_action);
  }

  char* begin_of(int device) const {
    return base_ + static_cast<size_t>(device) * kAddresses;
  }
  static void protect(char* data, size_t size, int protection) {
    if (mprotect(data, size, protection) != 0) {
      std::perror("CUDA emulation: protection of a device's memory");
      std::abort();
    }
  }

  std::mutex mutex_;
  char* base_ = nullptr;
  unsigned open_ = 0;
  std::array<Device, kMaxEmulatedDevices> devices_;
};

// Prints whose memory it was; then the fault ends the program.
void explain_fault(int signal, siginfo_t* info, void* context) {
  const int device = device_of(info->si_addr);
  if (device >= 0) {
    char text[200];
    const int size = std::snprintf(
        text, sizeof(text),
        "CUDA emulation: memory of cuda:%d at %p was touched by code that may "
        "not: the host, another device, or after it was freed\n",
        device, info->si_addr);
    static_cast<void>(!write(2, text, static_cast<size_t>(size)));
  }
  sigaction(SIGSEGV, &previous_action, nullptr);
  static_cast<void>(signal);
  static_cast<void>(context);  // the instruction runs again, and faults
}

// Memory that both the host and devices touch.
class SharedMemory {
 public:
  void* allocate(size_t bytes) {
    void* data = mmap(nullptr, round_up(bytes, kPage), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return nullptr;
    std::memset(data, 0xcb, bytes);
    add(data, bytes);
    return data;
  }
  void add(void* data, size_t bytes) {
    const std::lock_guard lock(mutex_);
    blocks_[static_cast<char*>(data)] = bytes;
  }
  // Its pages are never used again, so that a later access faults.
  bool free(void* data) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<char*>(data));
    if (found == blocks_.end()) return false;
    const size_t size = round_up(found->second, kPage);
    static_cast<void>(mprotect(data, size, PROT_NONE));
    static_cast<void>(madvise(data, size, MADV_DONTNEED));
    blocks_.erase(found);
    return true;
  }
  bool contains(const void* data) {
    const std::lock_guard lock(mutex_);
    const auto* at = static_cast<const char*>(data);
    const auto after = blocks_.upper_bound(at);
    if (after == blocks_.begin()) return false;
    const auto block = std::prev(after);
    return at < block->first + block->second;
  }

 private:
  std::mutex mutex_;
  std::map<const char*, size_t> blocks_;
};

SharedMemory& pinned() {
  static auto& all = *new SharedMemory;
  return all;
}
SharedMemory& managed() {
  static auto& all = *new SharedMemory;
  return all;
}

}  // namespace

void* allocate_device_memory(int device, size_t bytes) {
  return DeviceMemory::get().allocate(device, bytes);
}
bool free_device_memory(void* data) { return DeviceMemory::get().free(data); }
size_t used_device_memory(int device) {
  return DeviceMemory::get().used(device);
}
int device_of(const void* data) { return DeviceMemory::get().device_of(data); }
void open_devices(unsigned devices) { DeviceMemory::get().open(devices); }

void* allocate_pinned_memory(size_t bytes) { return pinned().allocate(bytes); }
bool free_pinned_memory(void* data) { return pinned().free(data); }
void* allocate_managed_memory(size_t bytes) {
  return managed().allocate(bytes);
}
bool free_managed_memory(void* data) { return managed().free(data); }

bool is_pinned(const void* data) {
  return pinned().contains(data) || is_managed(data);
}
bool is_managed(const void* data) { return managed().contains(data); }
void share_memory(void* data, size_t bytes) { managed().add(data, bytes); }

}  // namespace catena::cuda::emulation
