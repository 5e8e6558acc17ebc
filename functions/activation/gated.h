#pragma once

#include "catena/functions/activation/gelu.h"

// Gated activations of feed-forward layers, in one pass over memory. `gate` and
// `value` have shapes that broadcast and the same floating dtype; otherwise
// InvalidType. Where one product makes both, split_axis(x, 2, {.axis = -1})
// gives views of them.
//
// Shazeer: GLU Variants Improve Transformer, 2020.
namespace catena::functions {

// silu(gate) value.
Variable swiglu(const Variable& gate, const Variable& value);

// gelu(gate, options) value.
Variable geglu(const Variable& gate, const Variable& value,
               const GeluOptions& options = {});

}  // namespace catena::functions
