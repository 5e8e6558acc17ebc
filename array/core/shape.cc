#include "catena/array/core/shape.h"

#include <algorithm>
#include <bitset>
#include <ostream>

#include "catena/array/core/error.h"

namespace catena {
namespace {

void check_position(int position, int last, std::string_view operation) {
  if (position < 0 || position > last) {
    raise<IndexError>("Shape: expected a position from 0 to ", last, " to ",
                      operation, ", got ", position);
  }
}

}  // namespace

Shape::Shape(const int64_t* values, size_t count) {
  if (count > kMaxDims) {
    raise<ShapeError>("Shape: expected at most ", kMaxDims, " axes, got ",
                      count);
  }
  size_ = static_cast<int>(count);
  std::copy_n(values, count, values_);
}

Shape Shape::filled(int count, int64_t value) {
  Shape shape;
  for (int i = 0; i < count; ++i) shape.push_back(value);
  return shape;
}

void Shape::push_back(int64_t value) { insert(size_, value); }

void Shape::insert(int position, int64_t value) {
  if (size_ == kMaxDims) {
    raise<ShapeError>("Shape: expected at most ", kMaxDims, " axes, got ",
                      kMaxDims + 1);
  }
  check_position(position, size_, "insert");
  std::copy_backward(begin() + position, end(), end() + 1);
  values_[position] = value;
  ++size_;
}

void Shape::erase(int position) {
  check_position(position, size_ - 1, "erase");
  std::copy(begin() + position + 1, end(), begin() + position);
  --size_;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  text += shape.size() == 1 ? ",)" : ")";
  return text;
}

std::ostream& operator<<(std::ostream& os, const Shape& shape) {
  return os << to_string(shape);
}

int64_t checked_size(const Shape& shape, int64_t item_size,
                     std::string_view operation) {
  // Zeros are left out of the product, since strides are computed without them.
  int64_t bytes = item_size;
  bool has_zero = false;
  bool overflow = false;
  for (const int64_t extent : shape) {
    if (extent < 0) {
      raise<ShapeError>(operation, ": expected extents of at least 0, got ",
                        shape);
    }
    has_zero = has_zero || extent == 0;
    overflow = overflow || __builtin_mul_overflow(
                               bytes, std::max<int64_t>(extent, 1), &bytes);
  }
  if (overflow) {
    raise<ShapeError>(operation, ": shape ", shape, " of ", item_size,
                      "-byte items exceeds the address space");
  }
  return has_zero ? 0 : bytes / item_size;
}

Strides contiguous_strides(const Shape& shape, int64_t item_size) {
  Strides strides = shape;
  int64_t step = item_size;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

Shape broadcast_shapes(const Shape& a, const Shape& b,
                       std::string_view operation) {
  if (a == b) return a;
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const int offset = longer.size() - shorter.size();
  for (int i = 0; i < shorter.size(); ++i) {
    const int64_t extent = shorter[i];
    int64_t& out = result[offset + i];
    if (out == 1) {
      out = extent;
    } else if (extent != 1 && extent != out) {
      raise<ShapeError>(operation, ": shapes ", a, " and ", b,
                        " cannot be broadcast together");
    }
  }
  return result;
}

int normalize_axis(int64_t axis, int ndim, std::string_view operation) {
  if (axis < -ndim || axis >= ndim) {
    raise<IndexError>(operation, ": axis ", axis,
                      " is out of range for an array of ", ndim,
                      ndim == 1 ? " axis" : " axes");
  }
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

Axes normalize_axes(const Axes& axes, int ndim, std::string_view operation) {
  std::bitset<2 * kMaxDims> is_named;  // room for as many new axes
  for (const int64_t axis : axes) {
    const auto normal =
        static_cast<size_t>(normalize_axis(axis, ndim, operation));
    if (is_named.test(normal)) {
      raise<ValueError>(operation, ": axis ", axis, " is given twice in ",
                        axes);
    }
    is_named.set(normal);
  }
  Axes result;
  for (int i = 0; i < ndim; ++i) {
    if (is_named.test(static_cast<size_t>(i))) result.push_back(i);
  }
  return result;
}

}  // namespace catena
