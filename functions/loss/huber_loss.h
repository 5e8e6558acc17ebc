#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct HuberLossOptions {
  NamedFieldsOnly keywords = {};
  // "sum_along_second_axis", or "no" for the loss of each element.
  std::string_view reduce = "sum_along_second_axis";
};

// The Huber loss, quadratic for small errors and linear for large ones (P. J.
// Huber, 1964): with a = x - t,
//
//   loss = a^2 / 2 where |a| <= delta, else delta (|a| - delta / 2).
//
// x and t of the same floating dtype and shape, else InvalidType; the sum needs
// two axes. Throws ValueError when delta is negative or NaN, and for an unknown
// `reduce`.
Variable huber_loss(const Variable& x, const Variable& t, double delta,
                    const HuberLossOptions& options = {});

}  // namespace catena::functions
