#include <memory>

#include "catena/cuda/graph.h"
#include "catena/tests/benchmarks/captured.h"

namespace catena::benchmarks {

std::function<void()> capture(const std::function<void()>& work) {
  const auto graph = std::make_shared<const cuda::Graph>(work);
  return [graph] { graph->launch(); };
}

}  // namespace catena::benchmarks
