#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "catena/array/core/device.h"
#include "catena/array/core/memory_pool.h"
#include "catena/array/core/storage.h"

namespace catena {

// Bytes that did not come from a pool.
class BorrowedStorage : public Storage, public cpu::Pooled {
 public:
  // `bytes` bytes at `data`, kept alive by `owner`, which may be null.
  static Ref<Storage> make(Device device, void* data, int64_t bytes,
                           std::shared_ptr<void> owner = nullptr) {
    return Ref<Storage>::adopt(
        new BorrowedStorage(device, data, bytes, std::move(owner)));
  }

 private:
  friend class Storage;  // deletes it

  BorrowedStorage(Device device, void* data, int64_t bytes,
                  std::shared_ptr<void> owner)
      : Storage(device, static_cast<char*>(data), bytes, /*owned=*/false),
        owner_(std::move(owner)) {}
  ~BorrowedStorage() = default;

  std::shared_ptr<void> owner_;
};

}  // namespace catena
