#pragma once

#include <string>

#include "catena/autograd/computational_graph.h"

namespace catena::training::html {

// A computational graph as an SVG element: layers from top to bottom, functions
// as boxes, variables as ovals; an input that nothing computes stands above its
// first use. A sentence instead where there are more than 1000 nodes.
std::string graph_drawing(const ComputationalGraph& graph);

}  // namespace catena::training::html
