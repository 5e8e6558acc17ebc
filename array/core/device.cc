#include "catena/array/core/device.h"

#include <charconv>
#include <ostream>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"

namespace catena {
namespace {

constinit thread_local Device current;

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

constexpr BackendTable kNative = {
    .device_count = native_device_count,
    .allocate = native_allocate,
    .deallocate = native_deallocate,
    .copy = native_copy,
    .synchronize = native_synchronize,
    .reserved_bytes =
        [] { return cpu::memory_pool_statistics().total_bytes(); },
    .used_bytes = [] { return cpu::memory_pool_statistics().used_bytes; }};

constinit const BackendTable* backends[kBackendCount] = {&kNative, nullptr};

void change_current(Device to) noexcept {
  const auto tell = [to](Backend backend) {
    const BackendTable* table = backend_table(backend);
    if (table != nullptr && table->follow_current_device != nullptr) {
      table->follow_current_device(current, to);
    }
  };
  tell(current.backend());
  if (to.backend() != current.backend()) tell(to.backend());
  current = to;
}

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

const BackendTable* backend_table(Backend backend) {
  return backends[static_cast<int>(backend)];
}

void set_backend_table(Backend backend, const BackendTable* table) {
  backends[static_cast<int>(backend)] = table;
}

const BackendTable& require_device(Device device, std::string_view operation) {
  const BackendTable* table = backend_table(device.backend());
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

void synchronize(Device device) {
  require_device(device, "synchronize").synchronize(device);
}

}  // namespace catena
