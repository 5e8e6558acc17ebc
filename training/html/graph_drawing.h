#pragma once

#include <string>

#include "catena/autograd/computational_graph.h"

namespace catena::training::html {

// A computational graph as an SVG element: layers from top to bottom, functions
// as boxes, variables as ovals; a graph input is placed above its first use.
// For more than 1000 nodes, a sentence instead.
std::string graph_drawing(const ComputationalGraph& graph);

}  // namespace catena::training::html
