#pragma once

#include <memory>
#include <string_view>

#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_hooks/nested_calls.h"

namespace catena::function_hooks {

// Shows functions on the timeline of NVIDIA's profilers, as NVTX ranges
// "<label>.forward" and "<label>.backward". To profile only part of a program,
// see cuda/profiler.h.
class CUDAProfileHook : public FunctionHook {
 public:
  // Throws DeviceError when the CUDA library is not linked.
  CUDAProfileHook();
  // Closes ranges that exceptions left open.
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
  // Ends the range on destruction.
  class Range;

  NestedCalls<std::unique_ptr<Range>> running_;
};

}  // namespace catena::function_hooks
