#include "catena/cuda/graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/record_or_wait.h"

namespace catena::cuda {

namespace {

// The memory of graphs, until the last of them ends: that of a stream of its
// own, on which they are captured, so that it is not for other work.
class GraphMemory {
 public:
  explicit GraphMemory(int device)
      : stream_({.device = device, .non_blocking = true}),
        last_launch_({.device = device, .disable_timing = true}) {
    memory_pool(device).hold(stream_.ptr());
  }
  ~GraphMemory() { memory_pool(stream_.device()).release(stream_.ptr()); }
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  const Stream& stream() const { return stream_; }

  // Makes work submitted to `stream` from now on wait for what used the memory
  // last, on whatever stream.
  void order(cudaStream_t stream) {
    if (stream == last_stream_) return;
    check(cudaStreamWaitEvent(stream, last_launch_.ptr(), 0),
          "cudaStreamWaitEvent");
  }
  // After work that uses the memory, which must not fail any more.
  void used_on(cudaStream_t stream) noexcept {
    record_or_wait(last_launch_, stream);
    last_stream_ = stream;
  }

 private:
  Stream stream_;
  Event last_launch_;
  cudaStream_t last_stream_ = nullptr;
};

}  // namespace

class Graph::Body final : public Capture {
 public:
  Body(int device, std::shared_ptr<GraphMemory> memory)
      : Capture(cuda_device(device)),
        memory_(memory != nullptr ? std::move(memory)
                                  : std::make_shared<GraphMemory>(device)) {}
  ~Body() override {
    if (executable_ == nullptr) return;
    try {
      const DeviceGuard guard(device().index());
      ignore(cudaDeviceSynchronize());
    } catch (const Error&) {
      // The context is corrupt, and does no more work.
    }
    ignore(cudaGraphExecDestroy(executable_));
  }

  const std::shared_ptr<GraphMemory>& memory() const { return memory_; }

  void capture(const std::function<void()>& work);
  void launch(cudaStream_t stream);

  void* value(int64_t bytes, std::function<void(void*)> fill) override;
  void on_launch(std::function<void()> function) override {
    actions_.push_back({[call = std::move(function)](void*) { call(); }, 0, 0});
  }
  void on_failed_launch(std::function<void()> function) override {
    actions_.push_back({nullptr, 0, 0, std::move(function)});
  }
  void keep(std::shared_ptr<const void> object) override {
    kept_.push_back(std::move(object));
  }

 private:
  // Device memory of values; the first `used` bytes are taken.
  struct Block {
    Memory memory;
    int64_t used;
  };
  // What a launch does first, for a value or without one; or, without a
  // function to fill it, what a failed launch does.
  struct Action {
    std::function<void(void*)> fill;
    size_t block;
    int64_t offset;
    std::function<void()> undo = nullptr;
  };

  void abandon_capture() noexcept;
  // Fills the values, and counts how many actions were done.
  void fill_values(const std::vector<PinnedMemory>& staging,
                   size_t& n_done) const;
  void copy_values(std::vector<PinnedMemory> staging,
                   cudaStream_t stream) const;

  std::shared_ptr<GraphMemory> memory_;
  cudaGraphExec_t executable_ = nullptr;
  std::vector<Block> blocks_;
  std::vector<Action> actions_;
  std::vector<std::shared_ptr<const void>> kept_;
};

void Graph::Body::capture(const std::function<void()>& work) {
  const CaptureScope current(*this);
  const DeviceGuard guard(device().index());
  // Relaxed: the pool may need to allocate during capture.
  const Stream& stream = memory_->stream();
  check(cudaStreamBeginCapture(stream.ptr(), cudaStreamCaptureModeRelaxed),
        "cudaStreamBeginCapture");
  try {
    const StreamScope scope(stream);
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
  check(cudaStreamEndCapture(stream.ptr(), &graph), "cudaStreamEndCapture");
  const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
  ignore(cudaGraphDestroy(graph));
  check(status, "cudaGraphInstantiate");
  // Launches may be on any stream, and work of the null stream, for which their
  // memory was before, still run.
  if (blocks_.empty()) return;
  memory_->order(nullptr);
  memory_->used_on(nullptr);
}

void Graph::Body::abandon_capture() noexcept {
  cudaGraph_t graph = nullptr;
  ignore(cudaStreamEndCapture(memory_->stream().ptr(), &graph));
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
        {Memory(std::max(bytes, kBlock), device().index(), nullptr), 0});
  }
  Block& block = blocks_.back();
  actions_.push_back({std::move(fill), blocks_.size() - 1, block.used});
  return static_cast<char*>(block.memory.ptr()) +
         std::exchange(block.used, block.used + bytes);
}

void Graph::Body::fill_values(const std::vector<PinnedMemory>& staging,
                              size_t& n_done) const {
  for (const Action& action : actions_) {
    if (action.fill != nullptr) {
      action.fill(staging.empty()
                      ? nullptr
                      : static_cast<char*>(staging[action.block].ptr()) +
                            action.offset);
    }
    ++n_done;
  }
}

// The values of a block travel together: one copy for nearly every graph.
void Graph::Body::copy_values(std::vector<PinnedMemory> staging,
                              cudaStream_t stream) const {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const int device = this->device().index();
    copy_async(blocks_[i].memory.ptr(), staging[i].ptr(), blocks_[i].used,
               device, stream);
    free_after_work(std::move(staging[i]), device, stream);
  }
}

void Graph::Body::launch(cudaStream_t stream) {
  if (current_capture(device()) != nullptr) {
    raise<DeviceError>(
        "cuda::Graph: expected a launch outside of captures, got one inside "
        "a capture of ",
        device());
  }
  const DeviceGuard guard(device().index());
  memory_->order(stream);
  std::vector<PinnedMemory> staging;
  for (const Block& block : blocks_) staging.emplace_back(block.used);
  size_t n_done = 0;
  try {
    fill_values(staging, n_done);
    copy_values(std::move(staging), stream);
    check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
  } catch (...) {
    while (n_done > 0) {
      if (const Action& action = actions_[--n_done]; action.undo != nullptr) {
        action.undo();
      }
    }
    throw;
  }
  memory_->used_on(stream);
}

Graph::Graph(const std::function<void()>& work, std::optional<int> device,
             const Graph* other)
    : body_(std::make_unique<Body>(
          device.value_or(default_device()),
          other != nullptr ? other->body_->memory() : nullptr)) {
  body_->capture(work);
}

Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

int Graph::device() const { return body_->device().index(); }

void Graph::launch() const { body_->launch(current_stream(device())); }

}  // namespace catena::cuda
