#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

// The most axes an array can have.
inline constexpr int kMaxDims = 8;

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

  void push_back(int64_t value);
  void insert(int position, int64_t value);
  void erase(int position);
  void clear() { size_ = 0; }
  bool contains(int64_t value) const {
    return std::find(begin(), end(), value) != end();
  }

  // A loop of a few steps; std::equal would call memcmp.
  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i) {
      if (a.values_[i] != b.values_[i]) return false;
    }
    return true;
  }

 private:
  int size_ = 0;
  // All set, so that a copy is a few wide moves whatever the size.
  int64_t values_[kMaxDims] = {};
};

using Strides = Shape;
using Axes = Shape;

// "(2, 3)", "(3,)", "()": Python's tuple notation.
std::string to_string(const Shape& shape);
std::ostream& operator<<(std::ostream& os, const Shape& shape);

// The number of elements. ShapeError, naming `operation`, when an extent is
// negative or the bytes of that many items would not fit an int64.
int64_t checked_size(const Shape& shape, int64_t item_size,
                     std::string_view operation);

// The number of elements of a shape that is known to be valid.
inline int64_t size_of(const Shape& shape) {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  return size;
}

// The strides of a C-contiguous array.
Strides contiguous_strides(const Shape& shape, int64_t item_size);

// The shape both broadcast to, by NumPy's rule. ShapeError naming `operation`
// and both shapes when there is none.
Shape broadcast_shapes(const Shape& a, const Shape& b,
                       std::string_view operation);

// `axis` in [0, ndim), counting from the end when negative. IndexError naming
// `operation` otherwise.
int normalize_axis(int64_t axis, int ndim, std::string_view operation);

// The axes normalized, sorted, each at most once; all of them when `axes` is
// empty. IndexError on one out of range, ValueError on a repeated one.
Axes normalize_axes(const Axes& axes, int ndim, std::string_view operation);

}  // namespace catena
