#pragma once

#include "catena/functions/plan/internal/plan_steps.h"
#include "catena/functions/plan/internal/trace.h"

namespace catena::functions {

// The steps that compute a graph on the CPU: oneDNN primitives for float32
// where it has them, calls of the nodes for the rest. The graph must outlive
// the steps.
StepList lower(const TracedGraph& graph, Dtype precision);

}  // namespace catena::functions
