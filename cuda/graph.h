#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <optional>

#include "catena/cuda/stream.h"

namespace catena::cuda {

// A CUDA graph: GPU work captured once and relaunched by a single call, which
// saves the launch overhead of many small kernels:
//
//   Array y;
//   const Graph step([&] { y = model(x); });   // captures, does not run
//   x.assign(batch);                           // the same memory
//   step.launch();                             // y is computed from x
//
// Arrays created by the work are in memory that the graph owns: each launch
// overwrites its outputs in place, and temporaries are not shared with other
// work. The graph refers to addresses, so the arrays it reads and writes must
// stay alive; write new values into them.
class Graph {
 public:
  // Calls `work` once and captures what it submits to the device, by default
  // the current one. `work` must not wait for the device or read results
  // (item(), copies to the host). Throws CudaError if it does or if a launch
  // fails, and passes on exceptions of `work`. Nothing is captured in either
  // case.
  explicit Graph(const std::function<void()>& work,
                 std::optional<int> device = std::nullopt);
  // Waits for the device.
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  int device() const;
  // Launches the work on the device's current stream. Throws CudaError.
  void launch() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace catena::cuda
