#pragma once

#include <vector>

#include "catena/array/array.h"
#include "catena/autograd/variable.h"

// Arrays and variables to call functions with.
namespace catena::testing {

// 0.5, 1, 1.5, ...: float32.
Array floats(const Shape& shape);
// 0, 1, 2, 0, 1, 2, ...: int32.
Array labels(const Shape& shape);
// floats() that get a gradient.
Variable variable(const Shape& shape);
std::vector<Variable> variables(int count, const Shape& shape);

}  // namespace catena::testing
