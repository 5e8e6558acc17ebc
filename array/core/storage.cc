#include "catena/array/core/storage.h"

#include <algorithm>
#include <limits>
#include <new>

#include "catena/array/core/backend.h"
#include "catena/array/core/borrowed_storage.h"
#include "catena/array/core/error.h"

namespace catena {
namespace {

// On the host the Storage, its room and its bytes share one block.
constexpr int64_t kHeader = 256;

constinit thread_local int64_t allocated[kBackendCount] = {};

}  // namespace

// Declared in profiling.h, which arrays do not need.
int64_t allocated_bytes(Backend backend) {
  return allocated[static_cast<int>(backend)];
}

Ref<Storage> Storage::allocate(Device device, int64_t bytes) {
  static_assert(sizeof(Storage) + kRoom <= kHeader);
  if (bytes > std::numeric_limits<int64_t>::max() - kHeader) {
    raise<OutOfMemoryError>("allocate: cannot allocate ", bytes, " bytes");
  }
  if (device.is_native()) {
    if (device.index() < 0 || device.index() >= kMaxDevices) {
      require_device(device, "allocate");  // throws
    }
    auto* block = static_cast<char*>(cpu::pool_allocate(kHeader + bytes));
    allocated[static_cast<int>(Backend::kNative)] += bytes;
    return Ref<Storage>::adopt(
        new (block) Storage(device, block + kHeader, bytes, /*owned=*/true));
  }
  const BackendTable& memory = require_device(device, "allocate");
  void* header = cpu::pool_allocate(kHeader);
  try {
    void* data = memory.allocate(device, std::max<int64_t>(bytes, 1));
    allocated[static_cast<int>(device.backend())] += bytes;
    return Ref<Storage>::adopt(new (header) Storage(
        device, static_cast<char*>(data), bytes, /*owned=*/true));
  } catch (...) {
    cpu::pool_free(header, kHeader);
    throw;
  }
}

void Storage::destroy() noexcept {
  if (!owned_) {
    delete static_cast<BorrowedStorage*>(this);
  } else if (device_.is_native()) {
    cpu::pool_free(this, kHeader + bytes_);
  } else {
    backend_table(device_.backend())
        ->deallocate(device_, data_, std::max<int64_t>(bytes_, 1));
    cpu::pool_free(this, kHeader);
  }
}

}  // namespace catena
