// Work of a GPU that is captured (array/core/captured_work.h): a graph.

#include <functional>
#include <memory>

#include "catena/array/core/captured_work.h"
#include "catena/cuda/backend_parts.h"
#include "catena/cuda/graph.h"

namespace catena::cuda {
namespace {

class CapturedGraph final : public CapturedWork {
 public:
  CapturedGraph(const std::function<void()>& work, int device,
                const Graph* other)
      : graph_(work, device, other) {}
  void launch() override { graph_.launch(); }
  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
};

}  // namespace

std::unique_ptr<CapturedWork> capture(Device device,
                                      const std::function<void()>& work,
                                      const CapturedWork* other) {
  const Graph* graph = nullptr;
  if (other != nullptr) {
    graph = &static_cast<const CapturedGraph*>(other)->graph();
  }
  return std::make_unique<CapturedGraph>(work, device.index(), graph);
}

}  // namespace catena::cuda
