#include "catena/tests/arguments/small_inputs.h"

#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::testing {

Array floats(const Shape& shape) {
  const Array numbers =
      array::arange(1, size_of(shape) + 1, 1, Dtype::kFloat32);
  return (numbers * 0.5).reshape(shape);
}

Array labels(const Shape& shape) {
  const Array numbers = array::arange(0, size_of(shape), 1, Dtype::kInt32);
  return array::remainder(numbers, 3).reshape(shape);
}

Variable variable(const Shape& shape) { return Variable(floats(shape)); }

std::vector<Variable> variables(int count, const Shape& shape) {
  std::vector<Variable> all;
  for (int i = 0; i < count; ++i) all.push_back(variable(shape));
  return all;
}

}  // namespace catena::testing
