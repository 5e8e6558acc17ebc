#pragma once

#include <functional>
#include <span>

#include "catena/functions/plan/internal/plan_steps.h"
#include "catena/functions/plan/internal/product_groups.h"
#include "catena/functions/plan/internal/trace.h"

namespace catena::functions {

// The weights (O, ...) and biases (O,) of a group's product, multiplied by the
// scale of its batch normalization, if any, in double precision. Each time they
// are packed, `store` puts them into the layout of their step. The graph must
// outlive the result.
PackedWeights folded_weights(
    const TracedGraph& graph, const ProductGroup& group,
    std::function<void(const Array& W, std::span<const double> b)> store);

}  // namespace catena::functions
