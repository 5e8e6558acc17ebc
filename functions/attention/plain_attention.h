#pragma once

#include "catena/functions/attention/attention.h"

namespace catena::functions {

// attention() composed of other functions, with all scores in memory. The
// options have been checked, and have their defaults. Weights are multiplied by
// `factors`, (B, H, T, S), in place of dropout, unless undefined.
Variable plain_attention(const Variable& q, const Variable& k,
                         const Variable& v, const AttentionOptions& options,
                         const Array& factors);

}  // namespace catena::functions
