#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/max_dims.h"

namespace catena {

// A short list of int64 that lives inline: the extents of an array, its
// strides (in bytes), a list of axes. More than kMaxDims entries throw
// ShapeError.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> values)
      : Shape(values.begin(), values.size()) {}
  Shape(const std::vector<int64_t>& values)
      : Shape(values.data(), values.size()) {}
  Shape(std::span<const int64_t> values)
      : Shape(values.data(), values.size()) {}
  Shape(const int64_t* values, size_t count);
  // `count` entries of `value`.
  static Shape filled(int count, int64_t value);

  int size() const { return size_; }
  int ndim() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t& operator[](int i) { return values_[i]; }
  int64_t operator[](int i) const { return values_[i]; }
  int64_t& back() { return values_[size_ - 1]; }
  int64_t back() const { return values_[size_ - 1]; }
  int64_t* begin() { return values_; }
  int64_t* end() { return values_ + size_; }
  const int64_t* begin() const { return values_; }
  const int64_t* end() const { return values_ + size_; }
  operator std::span<const int64_t>() const { return {begin(), end()}; }

  // As std::vector's, except that positions are numbers. Throws ShapeError when
  // there would be too many axes.
  void push_back(int64_t value);
  void insert(int position, int64_t value);
  void erase(int position);
  void clear() { size_ = 0; }
  bool contains(int64_t value) const {
    for (const int64_t entry : *this) {
      if (entry == value) return true;
    }
    return false;
  }

  // A short loop: std::equal would call memcmp.
  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i) {
      if (a.values_[i] != b.values_[i]) return false;
    }
    return true;
  }

 private:
  int size_ = 0;
  // Always initialized, so that a copy is a few wide moves whatever the size.
  int64_t values_[kMaxDims] = {};
};

// In bytes; and numbers of axes.
using Strides = Shape;
using Axes = Shape;

// "(2, 3)", "(3,)", "()": Python's tuple notation.
std::string to_string(const Shape& shape);
std::ostream& operator<<(std::ostream& os, const Shape& shape);

// The number of elements. Throws ShapeError naming `operation` when an extent
// is negative or the size in bytes overflows int64.
int64_t checked_size(const Shape& shape, int64_t item_size,
                     std::string_view operation);

// The number of elements of a valid shape.
inline int64_t size_of(const Shape& shape) {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  return size;
}

// The strides of a C-contiguous array.
Strides contiguous_strides(const Shape& shape, int64_t item_size);

// The shape to which both broadcast by NumPy's rules. Throws ShapeError naming
// `operation` and both shapes when they do not broadcast.
Shape broadcast_shapes(const Shape& a, const Shape& b,
                       std::string_view operation);

// `axis` normalized to [0, ndim); a negative axis counts from the end. Throws
// IndexError naming `operation` when it is out of range.
int normalize_axis(int64_t axis, int ndim, std::string_view operation);

// The axes normalized and sorted. Throws IndexError for an axis out of range,
// ValueError for a repeated one.
Axes normalize_axes(const Axes& axes, int ndim, std::string_view operation);

}  // namespace catena
