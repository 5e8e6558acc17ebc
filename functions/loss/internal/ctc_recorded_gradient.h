#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The labels and lengths of the sequences, in the format of the kernels of
// connectionist_temporal_classification (ctc_ops.h).
struct CtcPaths {
  int64_t length;      // P
  Array step_counts;   // (B,), int32
  Array path_lengths;  // (B,), int32
  Array symbols;       // (B, P), int32
  Array skips;         // (B, P + 2)
};

// The gradient that CtcGradientOp computes, made of differentiable functions:
// about 20 of arrays (B, P) for each step. x is (T, B, V); c, of the type
// computed in, is () or (B, 1); fits, bool (B,), says which sequences have a
// finite loss, since the others get no gradient.
Variable recorded_ctc_gradient(const Variable& x, const Variable& c,
                               const CtcPaths& paths, const Array& fits);

}  // namespace catena::functions
