#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "catena/array/core/device.h"
#include "catena/array/core/memory_pool.h"

namespace catena {

// A reference-counted pointer to a T that has acquire() and release().
template <class T>
class Ref {
 public:
  Ref() = default;
  // Takes ownership of one reference that is already counted.
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Adds a reference.
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) object_->acquire();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }

  // Gives up the reference without releasing it.
  T* detach() { return std::exchange(object_, nullptr); }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref&, const Ref&) = default;

 private:
  T* object_ = nullptr;
};

// A reference count. Releasing the only reference needs no locked instruction.
class RefCount {
 public:
  void acquire() { count_.fetch_add(1, std::memory_order_relaxed); }
  // True when this was the last reference.
  bool release() {
    if (count_.load(std::memory_order_acquire) == 1) return true;
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  int32_t get() const { return count_.load(std::memory_order_acquire); }

 private:
  std::atomic<int32_t> count_{1};
};

// Bytes on one device, shared by the arrays that view them.
class Storage {
 public:
  // Uninitialized memory from the device's pool. Throws OutOfMemoryError.
  static Ref<Storage> allocate(Device device, int64_t bytes);

  char* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  // Whether the memory is from the pool, so that a result may reuse it when
  // there is no other owner.
  bool owned() const { return owned_; }

  void acquire() { refs_.acquire(); }
  void release() noexcept {
    if (refs_.release()) destroy();
  }
  int32_t use_count() const { return refs_.get(); }

  // Memory from the pool has room here for the description of the array that it
  // is allocated for, which saves an allocation.
  static constexpr int64_t kRoom = 192;
  void* room() { return reinterpret_cast<char*>(this) + sizeof(Storage); }

 private:
  friend class BorrowedStorage;

  Storage(Device device, char* data, int64_t bytes, bool owned)
      : device_(device), owned_(owned), data_(data), bytes_(bytes) {}
  ~Storage() = default;
  void destroy() noexcept;

  RefCount refs_;
  Device device_;
  bool owned_;
  char* data_;
  int64_t bytes_;
};

}  // namespace catena
