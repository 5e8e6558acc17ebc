#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <optional>

#include "catena/cuda/stream.h"

namespace catena::cuda {

// Work of a GPU that is recorded once and started again by a single call, which
// saves the launches of many small kernels:
//
//   Array y;
//   const Graph step([&] { y = model(x); });   // nothing runs yet
//   x.assign(batch);                           // the same memory
//   step.launch();                             // y is computed from x
//
// Arrays that the work makes live in memory that the graph keeps: an output
// stays where it is and is written anew by each launch; temporaries are not
// shared with other work. The graph works on addresses, so the arrays it reads
// and writes must stay, and new values are written into them.
class Graph {
 public:
  // Calls `work` once and records what it starts on the device, which defaults
  // to the current one. The work may not wait for the device or read results
  // (item(), copies to the host); then CudaError, as when a launch fails, and
  // what `work` throws is passed on. Nothing is recorded in either case.
  explicit Graph(const std::function<void()>& work,
                 std::optional<int> device = std::nullopt);
  // Waits for the device.
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  int device() const;
  // Starts the work on the device's current stream. CudaError.
  void launch() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace catena::cuda
