#include "catena/array/device.h"

#include <charconv>
#include <ostream>

#include "catena/array/cpu/memory_pool.h"
#include "catena/array/device_observer.h"
#include "catena/array/error.h"

namespace catena {
namespace {

constinit thread_local Device current;
constinit internal::DeviceObserver* device_observer = nullptr;

void change_current(Device to) noexcept {
  if (device_observer != nullptr && !(current.is_native() && to.is_native())) {
    device_observer(current, to);
  }
  current = to;
}

int native_device_count() { return kMaxDevices; }

void* native_allocate(Device /*device*/, int64_t bytes) {
  return cpu::pool_allocate(bytes);
}

void native_deallocate(Device /*device*/, void* data, int64_t bytes) noexcept {
  cpu::pool_free(data, bytes);
}

void native_copy(void* to, Device, const void* from, Device, int64_t bytes) {
  cpu::copy_bytes(to, from, bytes);
}

void native_synchronize(Device) {}

constexpr MemoryBackend kNativeMemory = {native_device_count, native_allocate,
                                         native_deallocate, native_copy,
                                         native_synchronize};

constinit const MemoryBackend* backends[kBackendCount] = {&kNativeMemory,
                                                          nullptr};

std::string_view backend_name(Backend backend) {
  return backend == Backend::kNative ? "native" : "cuda";
}

}  // namespace

Device Device::parse(std::string_view name) {
  const size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  int index = 0;
  bool ok = kind == "native" || kind == "cuda";
  if (ok && colon != std::string_view::npos) {
    const char* begin = name.data() + colon + 1;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(begin, end, index);
    ok = error == std::errc() && stop == end && index >= 0 &&
         index < kMaxDevices;
  }
  if (!ok) {
    raise<DeviceError>(
        "Device::parse: expected native, native:N, cuda or "
        "cuda:N with N below ",
        kMaxDevices, ", got '", name, "'");
  }
  return {kind == "cuda" ? Backend::kCuda : Backend::kNative, index};
}

std::string Device::name() const {
  return std::string(backend_name(backend_)) + ":" + std::to_string(index_);
}

std::string to_string(Device device) { return device.name(); }

std::ostream& operator<<(std::ostream& os, Device device) {
  return os << device.name();
}

Device current_device() { return current; }

void set_current_device(Device device) {
  require_device(device, "set_current_device");
  change_current(device);
}

DeviceScope::DeviceScope(Device device) : previous_(current) {
  set_current_device(device);
}

DeviceScope::~DeviceScope() { change_current(previous_); }

const MemoryBackend* memory_backend(Backend backend) {
  return backends[static_cast<int>(backend)];
}

void set_memory_backend(Backend backend, const MemoryBackend* table) {
  backends[static_cast<int>(backend)] = table;
}

const MemoryBackend& require_device(Device device, std::string_view operation) {
  const MemoryBackend* table = memory_backend(device.backend());
  if (table == nullptr) {
    raise<DeviceError>(operation, ": device ", device,
                       " needs the CUDA backend, which is not linked; build "
                       "with --config=cuda; outside of catena's repository, "
                       "with this line in .bazelrc: build:cuda "
                       "--define=catena_cuda=true");
  }
  if (const int count = table->device_count();
      device.index() < 0 || device.index() >= count) {
    const bool says_why = count == 0 && table->describe != nullptr;
    raise<DeviceError>(operation, ": device ", device, " does not exist; ",
                       backend_name(device.backend()), " has ", count,
                       count == 1 ? " device" : " devices",
                       says_why ? "; " + table->describe(device) : "");
  }
  return *table;
}

namespace internal {
void set_device_observer(DeviceObserver* observer) noexcept {
  device_observer = observer;
}
}  // namespace internal

void synchronize(Device device) {
  require_device(device, "synchronize").synchronize(device);
}

}  // namespace catena
