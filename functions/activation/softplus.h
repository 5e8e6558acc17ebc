#pragma once

#include <concepts>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SoftplusOptions {
  NamedFieldsOnly keywords = {};
  double beta = 1;
};

// y = log(1 + exp(beta x)) / beta, elementwise, computed without overflow. x:
// any shape, floating dtype; otherwise InvalidType. Throws ValueError when beta
// is 0 or NaN.
Variable softplus(const Variable& x, const SoftplusOptions& options);
inline Variable softplus(const Variable& x) {
  return softplus(x, SoftplusOptions{});
}
Variable softplus(const Variable& x, std::convertible_to<double> auto beta) {
  return softplus(x, {.beta = static_cast<double>(beta)});
}

}  // namespace catena::functions
