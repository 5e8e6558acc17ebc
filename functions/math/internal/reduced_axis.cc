#include "catena/functions/math/internal/reduced_axis.h"

#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"

namespace catena::functions {

ReducedAxis::ReducedAxis(const Shape& shape, const Axes& axes)
    : folded_{1, 1, 1}, ordered_(shape) {
  const int ndim = shape.ndim();
  const bool are_neighbours =
      axes.empty() || axes.back() - axes[0] + 1 == axes.size();
  if (!are_neighbours) {
    for (int i = 0; i < ndim; ++i) {
      if (!axes.contains(i)) order_.push_back(i);
    }
    for (const int64_t axis : axes) order_.push_back(axis);
    inverse_ = order_;
    for (int i = 0; i < ndim; ++i) {
      ordered_[i] = shape[static_cast<int>(order_[i])];
      inverse_[static_cast<int>(order_[i])] = i;
    }
  }
  const int begin =
      are_neighbours ? (axes.empty() ? ndim : axes[0]) : ndim - axes.size();
  for (int i = 0; i < ndim; ++i) {
    folded_[i < begin ? 0 : i < begin + axes.size() ? 1 : 2] *= ordered_[i];
  }
}

Variable ReducedAxis::fold(const Variable& x) const {
  return reshape(order_.empty() ? x : transpose(x, order_), folded_);
}
Variable ReducedAxis::unfold(const Variable& y) const {
  const Variable x = reshape(y, ordered_);
  return order_.empty() ? x : transpose(x, inverse_);
}
Array ReducedAxis::fold(const Array& x) const {
  return (order_.empty() ? x : x.transpose(order_)).reshape(folded_);
}
Array ReducedAxis::unfold(const Array& y) const {
  const Array x = y.reshape(ordered_);
  return order_.empty() ? x : x.transpose(inverse_);
}

}  // namespace catena::functions
