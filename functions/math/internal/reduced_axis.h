#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Merges several axes of an array into one, (before, reduced, after), for
// functions that work along one axis. Views if the axes are adjacent and the
// memory layout allows.
class ReducedAxis {
 public:
  static constexpr int kAxis = 1;

  // `axes` are normalized and sorted.
  ReducedAxis(const Shape& shape, const Axes& axes);

  Variable fold(const Variable& x) const;
  Variable unfold(const Variable& y) const;
  Array fold(const Array& x) const;
  Array unfold(const Array& y) const;

  int64_t rows() const { return folded_[0] * folded_[2]; }
  int64_t length() const { return folded_[kAxis]; }
  // The shape after reducing the axis, (before, 1, after), with the remaining
  // axes in their original order.
  Shape kept_shape() const { return {folded_[0], 1, folded_[2]}; }

 private:
  Shape folded_;
  // If the axes are not adjacent: a permutation that makes them so, the
  // permuted shape, and the inverse permutation.
  Axes order_;
  Shape ordered_;
  Axes inverse_;
};

}  // namespace catena::functions
