#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The defaults preserve mean 0 and variance 1 from layer to layer.
struct SeluOptions {
  NamedFieldsOnly keywords = {};
  double alpha = 1.6732632423543772;
  double scale = 1.0507009873554805;
};

// y = scale x, or scale alpha (exp(x) - 1) where x < 0, elementwise. x: any
// shape, floating dtype; otherwise InvalidType. The gradient at 0 is the one
// for x > 0. (Klambauer et al., 2017.)
Variable selu(const Variable& x, const SeluOptions& options = {});

}  // namespace catena::functions
