#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct CReluOptions {
  int64_t axis = 1;
};

// Concatenated ReLU: max(x, 0) followed by max(-x, 0) along `axis`, which
// doubles its extent. x is floating. Throws InvalidType for any other dtype or
// an axis out of range. NaN stays NaN. The gradient at 0 is 0. (Shang et al.,
// 2016.)
Variable crelu(const Variable& x, const CReluOptions& options = {});

}  // namespace catena::functions
