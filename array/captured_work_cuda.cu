// Installs CUDA's capture_work (array/captured_work.h) when it is linked.

#include <functional>
#include <memory>

#include "catena/array/captured_work.h"
#include "catena/cuda/graph.h"

namespace catena::cuda {
namespace {

class CapturedGraph final : public CapturedWork {
 public:
  CapturedGraph(const std::function<void()>& work, int device)
      : graph_(work, device) {}
  void launch() override { graph_.launch(); }

 private:
  Graph graph_;
};

std::unique_ptr<CapturedWork> capture(Device device,
                                      const std::function<void()>& work) {
  return std::make_unique<CapturedGraph>(work, device.index());
}

[[maybe_unused]] const bool installed = [] {
  set_capture_work(Backend::kCuda, capture);
  return true;
}();

}  // namespace
}  // namespace catena::cuda
