#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Several axes of an array as one: (before, reduced, after), for what works
// along one axis only. Views where the axes are neighbours and memory allows.
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
  // (before, 1, after): what is left when the axis is reduced, in the order in
  // which the axes that remain lie in the array.
  Shape kept_shape() const { return {folded_[0], 1, folded_[2]}; }

 private:
  Shape folded_;
  // Where the axes are no neighbours: their order that makes them so, the shape
  // in it, and the way back.
  Axes order_;
  Shape ordered_;
  Axes inverse_;
};

}  // namespace catena::functions
