#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct BlackOutOptions {
  NamedFieldsOnly keywords = {};
  // "mean" over the batch, or "no" for the loss of each row.
  std::string_view reduce = "mean";
};

// The BlackOut loss (S. Ji et al., 2016), whose softmax runs over the label and
// random samples only: with p the softmax of x[i] . W[k] over the label and the
// samples of a row,
//
//   loss[i] = -log p(t[i]) - sum over samples s of log(1 - p(s))
//
// x is (N, D), W (V, D), of the same floating dtype; t (N,) and samples (N, S)
// are integers from 0 to V - 1. Throws InvalidType when dtypes or shapes do not
// match. Throws ValueError for a label or sample out of range, which the
// message names, and for an unknown `reduce`.
Variable black_out(const Variable& x, const Variable& t, const Variable& W,
                   const Variable& samples,
                   const BlackOutOptions& options = {});
Variable black_out(const Variable& x, const Array& t, const Variable& W,
                   const Array& samples, const BlackOutOptions& options = {});

}  // namespace catena::functions
