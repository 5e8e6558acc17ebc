#pragma once

#include <memory>
#include <string_view>

#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_hooks/nested_calls.h"

namespace catena::function_hooks {

// Shows functions on the time line of NVIDIA's profilers: a range
// "<label>.forward" or "<label>.backward" (NVTX) around each. To record only a
// part of a program, see cuda/profiler.h.
class CUDAProfileHook : public FunctionHook {
 public:
  // DeviceError when the CUDA library is not linked.
  CUDAProfileHook();
  // Closes ranges that exceptions have left open.
  ~CUDAProfileHook() override;

  std::string_view name() const override { return "CUDAProfileHook"; }
  void forward_preprocess(const FunctionNode& function,
                          const Arrays& inputs) override;
  void forward_postprocess(const FunctionNode& function,
                           const Arrays& inputs) override;
  void backward_preprocess(const FunctionNode& function,
                           const Variables& grad_outputs) override;
  void backward_postprocess(const FunctionNode& function,
                            const Variables& grad_outputs) override;

 private:
  // Closes itself.
  class Range;

  NestedCalls<std::unique_ptr<Range>> running_;
};

}  // namespace catena::function_hooks
