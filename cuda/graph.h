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
// Arrays created by the work are in memory that the graph owns until its end:
// each launch overwrites its outputs in place, and its temporaries share memory
// with each other, but not with other work. The graph refers to addresses, so
// the arrays it reads and writes must stay alive; write new values into them.
// Several graphs can share memory, so that they need that of the largest: what
// is free when one was captured, its temporaries and outputs that nobody holds,
// is for the next. So a launch of one overwrites the outputs of the others;
// such launches run one after the other.
//
// Numbers that the host computes, such as 0.5 in `x * 0.5`, and arrays that it
// copies to the device, are those of the capture in every launch. Random
// numbers are drawn in each launch, as if the work were called again, and what
// optimizers compute, such as Adam's step size, is updated. Only work on the
// device's current stream is captured with its memory: work on other streams
// has to be ordered with it by events, and to keep its own memory alive.
class Graph {
 public:
  // Calls `work` once and captures what it submits to the device, by default
  // the current one; shares the memory of `other`, a graph of the same device,
  // if it is not null. `work` must not wait for the device or read results
  // (item(), copies to the host). Throws DeviceError when it does, inside
  // another capture, and when a launch fails; passes on exceptions of `work`.
  // Nothing is captured in any of these cases, and the work can be called
  // without capture.
  explicit Graph(const std::function<void()>& work,
                 std::optional<int> device = std::nullopt,
                 const Graph* other = nullptr);
  // Waits for the device.
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  int device() const;
  // Launches the work on the device's current stream. Throws CudaError, and
  // DeviceError inside a capture; then nothing was launched, random numbers are
  // those of the next launch, and no step is counted.
  void launch() const;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace catena::cuda
