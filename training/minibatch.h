#pragma once

#include <vector>

#include "catena/autograd/variable.h"
#include "catena/dataset/example.h"

namespace catena::training {

// The arrays of a converted minibatch as variables without gradient, for loss
// functions.
inline std::vector<Variable> variables_of(const dataset::Example& arrays) {
  std::vector<Variable> variables;
  variables.reserve(static_cast<size_t>(arrays.size()));
  for (const Array& array : arrays) variables.push_back(as_variable(array));
  return variables;
}

}  // namespace catena::training
