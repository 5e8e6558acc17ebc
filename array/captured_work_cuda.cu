// Installs CUDA's capture_work (array/captured_work.h) when it is linked.

#include <functional>
#include <memory>

#include "catena/array/captured_work.h"
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

std::unique_ptr<CapturedWork> capture(Device device,
                                      const std::function<void()>& work,
                                      const CapturedWork* other) {
  const Graph* graph = nullptr;
  if (other != nullptr) {
    graph = &static_cast<const CapturedGraph*>(other)->graph();
  }
  return std::make_unique<CapturedGraph>(work, device.index(), graph);
}

[[maybe_unused]] const bool installed = [] {
  set_capture_work(Backend::kCuda, capture);
  return true;
}();

}  // namespace
}  // namespace catena::cuda
