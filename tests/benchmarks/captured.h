#pragma once

#include <functional>

namespace catena::benchmarks {

// Captures the work in a CUDA graph and returns what launches it; null without
// CUDA. Throws CudaError when the work cannot be captured.
std::function<void()> capture(const std::function<void()>& work);

}  // namespace catena::benchmarks
