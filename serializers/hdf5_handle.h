#pragma once

#include <cstdint>
#include <utility>

namespace catena::serializers {

// Owns an object of the HDF5 library and closes it when destroyed.
class Hdf5Handle {
 public:
  using Close = int (*)(int64_t);
  Hdf5Handle() = default;
  Hdf5Handle(int64_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept { *this = std::move(other); }
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  ~Hdf5Handle() { reset(); }

  int64_t id() const { return id_; }
  bool is_open() const { return id_ >= 0; }
  // Whether closing succeeded; true if there was nothing to close.
  bool reset();

 private:
  int64_t id_ = -1;
  Close close_ = nullptr;
};

}  // namespace catena::serializers
