#include "catena/cuda/graph.h"

#include <utility>

#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"

namespace catena::cuda {

struct Graph::Body {
  explicit Body(int device) : stream({.device = device, .non_blocking = true}) {
    memory_pool(device).hold(stream.ptr());
  }
  ~Body() {
    const int device = stream.device();
    if (executable != nullptr) {
      const DeviceGuard guard(device);
      ignore(cudaDeviceSynchronize());
      ignore(cudaGraphExecDestroy(executable));
    }
    memory_pool(device).release(stream.ptr());
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  void capture(const std::function<void()>& work);

  // A stream of the graph's own, so that its memory is not shared.
  Stream stream;
  cudaGraphExec_t executable = nullptr;
};

void Graph::Body::capture(const std::function<void()>& work) {
  const DeviceGuard guard(stream.device());
  // Relaxed: the pool may need to allocate during capture.
  check(cudaStreamBeginCapture(stream.ptr(), cudaStreamCaptureModeRelaxed),
        "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    const StreamScope scope(stream);
    work();
  } catch (...) {
    ignore(cudaStreamEndCapture(stream.ptr(), &graph));
    if (graph != nullptr) ignore(cudaGraphDestroy(graph));
    throw;
  }
  check(cudaStreamEndCapture(stream.ptr(), &graph), "cudaStreamEndCapture");
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  ignore(cudaGraphDestroy(graph));
  check(status, "cudaGraphInstantiate");
}

Graph::Graph(const std::function<void()>& work, std::optional<int> device)
    : body_(std::make_unique<Body>(device.value_or(default_device()))) {
  body_->capture(work);
}

Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

int Graph::device() const { return body_->stream.device(); }

void Graph::launch() const {
  const DeviceGuard guard(device());
  check(cudaGraphLaunch(body_->executable, current_stream(device())),
        "cudaGraphLaunch");
}

}  // namespace catena::cuda
