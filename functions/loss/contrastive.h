#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct ContrastiveOptions {
  NamedFieldsOnly keywords = {};
  double margin = 1;
  // "mean" over the pairs, or "no" for the loss of each pair.
  std::string_view reduce = "mean";
};

// The contrastive loss, which pulls matching pairs together and pushes other
// pairs apart (R. Hadsell, S. Chopra and Y. LeCun, 2006): with d = |x0[n] -
// x1[n]|,
//
//   loss[n] = (y[n] d^2 + (1 - y[n]) max(margin - d, 0)^2) / 2.
//
// x0 and x1 are (N, K), of the same floating dtype, else InvalidType; y is
// (N,), integers 0 or 1, else ValueError, and gets no gradient. The gradient of
// a pair at distance 0 is 0. Throws ValueError unless margin is positive, and
// for an unknown `reduce`.
Variable contrastive(const Variable& x0, const Variable& x1, const Variable& y,
                     const ContrastiveOptions& options = {});
Variable contrastive(const Variable& x0, const Variable& x1, const Array& y,
                     const ContrastiveOptions& options = {});

}  // namespace catena::functions
