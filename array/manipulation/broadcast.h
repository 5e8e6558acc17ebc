#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "catena/array/array.h"

// Broadcasting of arrays to one shape.
namespace catena::array {

// The broadcast of several arrays. Throws ShapeError when they do not
// broadcast.
class Broadcast {
 public:
  explicit Broadcast(std::span<const Array> arrays);
  Broadcast(std::initializer_list<Array> arrays)
      : Broadcast(std::span(arrays.begin(), arrays.size())) {}

  const Shape& shape() const { return shape_; }
  int nd() const { return shape_.ndim(); }
  int64_t size() const { return size_of(shape_); }
  // The arrays as read-only views of that shape.
  const std::vector<Array>& values() const { return values_; }

 private:
  Shape shape_;
  std::vector<Array> values_;
};

// Broadcast(arrays).values().
std::vector<Array> broadcast_arrays(std::span<const Array> arrays);
inline std::vector<Array> broadcast_arrays(
    std::initializer_list<Array> arrays) {
  return broadcast_arrays(std::span(arrays.begin(), arrays.size()));
}

}  // namespace catena::array
