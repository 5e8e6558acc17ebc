#include "catena/cuda/graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/array/capture.h"
#include "catena/array/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/pinned_memory.h"

namespace catena::cuda {

class Graph::Body final : public Capture {
 public:
  explicit Body(int device)
      : Capture(cuda_device(device)),
        stream_({.device = device, .non_blocking = true}) {
    memory_pool(device).hold(stream_.ptr());
  }
  ~Body() override {
    const int device = stream_.device();
    if (executable_ != nullptr) {
      const DeviceGuard guard(device);
      ignore(cudaDeviceSynchronize());
      ignore(cudaGraphExecDestroy(executable_));
    }
    memory_pool(device).release(stream_.ptr());
  }

  void capture(const std::function<void()>& work);
  void launch(cudaStream_t stream) const;

  void* value(int64_t bytes, std::function<void(void*)> fill) override;
  void on_launch(std::function<void()> function) override {
    actions_.push_back({[call = std::move(function)](void*) { call(); }, 0, 0});
  }
  void keep(std::shared_ptr<const void> object) override {
    kept_.push_back(std::move(object));
  }

 private:
  // Device memory of values, of which the first `used` bytes are taken.
  struct Block {
    Memory memory;
    int64_t used;
  };
  // What a launch does first, for a value or without one.
  struct Action {
    std::function<void(void*)> fill;
    size_t block;
    int64_t offset;
  };

  void abandon_capture() noexcept;
  void write_values(cudaStream_t stream) const;

  // A stream of the graph's own, so that its memory is not shared.
  Stream stream_;
  cudaGraphExec_t executable_ = nullptr;
  std::vector<Block> blocks_;
  std::vector<Action> actions_;
  std::vector<std::shared_ptr<const void>> kept_;
};

void Graph::Body::capture(const std::function<void()>& work) {
  const CaptureScope current(*this);
  const DeviceGuard guard(stream_.device());
  // Relaxed: the pool may need to allocate during capture.
  check(cudaStreamBeginCapture(stream_.ptr(), cudaStreamCaptureModeRelaxed),
        "cudaStreamBeginCapture");
  try {
    const StreamScope scope(stream_);
    work();
  } catch (CudaError& error) {
    abandon_capture();
    if (error.name().starts_with("cudaErrorStreamCapture") ||
        error.name() == "cudaErrorCapturedEvent") {
      error.prepend(
          "cuda::Graph: the captured work waited for the device, which can't "
          "be "
          "captured; read results (item(), printing, copies to the host) after "
          "the launch, or do not capture this work: ");
    }
    throw;
  } catch (...) {
    abandon_capture();
    throw;
  }
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream_.ptr(), &graph), "cudaStreamEndCapture");
  const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
  ignore(cudaGraphDestroy(graph));
  check(status, "cudaGraphInstantiate");
  // Launches may be on any stream, and work of the null stream, for which their
  // memory was before, still run.
  if (!blocks_.empty()) {
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }
}

void Graph::Body::abandon_capture() noexcept {
  cudaGraph_t graph = nullptr;
  ignore(cudaStreamEndCapture(stream_.ptr(), &graph));
  if (graph != nullptr) ignore(cudaGraphDestroy(graph));
}

void* Graph::Body::value(int64_t bytes, std::function<void(void*)> fill) {
  constexpr int64_t kAlignment = 16;
  constexpr int64_t kBlock = 64 << 10;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (blocks_.empty() ||
      bytes > blocks_.back().memory.size() - blocks_.back().used) {
    // Not of the graph's stream: that reuses what temporaries had earlier in
    // the graph, where values are written before its launch.
    blocks_.push_back(
        {Memory(std::max(bytes, kBlock), stream_.device(), nullptr), 0});
  }
  Block& block = blocks_.back();
  actions_.push_back({std::move(fill), blocks_.size() - 1, block.used});
  return static_cast<char*>(block.memory.ptr()) +
         std::exchange(block.used, block.used + bytes);
}

// The values of a block travel together: one copy for nearly every graph.
void Graph::Body::write_values(cudaStream_t stream) const {
  std::vector<PinnedMemory> staging;
  for (const Block& block : blocks_) staging.emplace_back(block.used);
  for (const Action& action : actions_) {
    action.fill(staging.empty()
                    ? nullptr
                    : static_cast<char*>(staging[action.block].ptr()) +
                          action.offset);
  }
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const int device = stream_.device();
    Event copied({.device = device, .disable_timing = true});
    copy_async(blocks_[i].memory.ptr(), staging[i].ptr(), blocks_[i].used,
               device, stream);
    copied.record(stream);
    staging[i].free_after(std::move(copied));
  }
}

void Graph::Body::launch(cudaStream_t stream) const {
  if (current_capture(device()) != nullptr) {
    raise<DeviceError>(
        "cuda::Graph: expected a launch outside of captures, got one inside "
        "a capture of ",
        device());
  }
  const DeviceGuard guard(stream_.device());
  write_values(stream);
  check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
}

Graph::Graph(const std::function<void()>& work, std::optional<int> device)
    : body_(std::make_unique<Body>(device.value_or(default_device()))) {
  body_->capture(work);
}

Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

int Graph::device() const { return body_->device().index(); }

void Graph::launch() const { body_->launch(current_stream(device())); }

}  // namespace catena::cuda
