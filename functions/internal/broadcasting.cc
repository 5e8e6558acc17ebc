#include "catena/functions/internal/broadcasting.h"

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"

namespace catena::functions {
namespace {

// Whether `small` broadcasts to `large`.
bool broadcasts_to(const Shape& small, const Shape& large) {
  const int added = large.ndim() - small.ndim();
  if (added < 0) return false;
  for (int axis = 0; axis < small.ndim(); ++axis) {
    if (small[axis] != large[added + axis] && small[axis] != 1) return false;
  }
  return true;
}

}  // namespace

Array sum_to_shape(const Array& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (!broadcasts_to(shape, x.shape())) {
    raise<ShapeError>("sum_to: expected a shape that broadcasts to ", x.shape(),
                      ", got ", shape);
  }
  const int added = x.ndim() - shape.ndim();
  Axes axes;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (axis < added || (shape[axis - added] == 1 && x.shape()[axis] != 1)) {
      axes.push_back(axis);
    }
  }
  return array::sum(x, {.axis = axes, .keepdims = true}).reshape(shape);
}

void BroadcastTo::check_type_forward(TypeCheck& in) const {
  const auto [x] = in.names<1>({"x"});
  if (!broadcasts_to(x.array().shape(), shape_)) {
    in.fail(str("x.shape broadcasts to ", shape_),
            to_string(x.array().shape()));
  }
}

Arrays BroadcastTo::forward(const Arrays& in) {
  return {in[0].broadcast_to(shape_)};
}

Variables BroadcastTo::backward(const Indexes&, const Variables& gy) {
  return {catena::apply<SumTo>({gy[0]}, inputs()[0]->shape())};
}

void SumTo::check_type_forward(TypeCheck& in) const {
  const auto [x] = in.names<1>({"x"});
  if (!broadcasts_to(shape_, x.array().shape())) {
    in.fail(str("shape ", shape_, " broadcasts to x.shape"),
            to_string(x.array().shape()));
  }
}

Arrays SumTo::forward(const Arrays& in) {
  return {sum_to_shape(in[0], shape_)};
}

Variables SumTo::backward(const Indexes&, const Variables& gy) {
  return {catena::apply<BroadcastTo>({gy[0]}, inputs()[0]->shape())};
}

Variable summed_to(const Variable& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return catena::apply<SumTo>({x}, shape);
}

}  // namespace catena::functions
