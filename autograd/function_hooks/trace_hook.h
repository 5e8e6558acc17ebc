#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "catena/array/core/device.h"
#include "catena/array/core/profiling.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_hooks/nested_calls.h"

namespace catena::function_hooks {

// Adds to the trace that is recording (array/core/trace.h) when functions of
// this thread run, forward and backward, with dtypes and shapes; after each,
// what the memory pools hold. A GPU works later than the functions that give it
// work: what it does has rows of its own, one for each stream.
//
//   Trace trace;
//   {
//     TraceHook hook;
//     const FunctionHookScope scope(hook);
//     model(x).backward();
//   }
//   trace.stop();
//   std::ofstream file("trace.json");
//   trace.write(file);
class TraceHook : public FunctionHook {
 public:
  TraceHook();
  ~TraceHook() override;

  std::string_view name() const override { return "TraceHook"; }

  void forward_preprocess(const FunctionNode& function,
                          const Arrays& inputs) override;
  void forward_postprocess(const FunctionNode& function,
                           const Arrays& inputs) override;
  void backward_preprocess(const FunctionNode& function,
                           const Variables& grad_outputs) override;
  void backward_postprocess(const FunctionNode& function,
                            const Variables& grad_outputs) override;
  // finish(); errors of a GPU are left to the next function that waits for it.
  void deleted(FunctionNode* function) override;

  // Waits for the GPUs and adds what they did since the last call. The end of a
  // FunctionHookScope calls it; it must come before Trace::stop().
  void finish();

 private:
  struct Call;
  struct DeviceSpan;
  // A mark of a device, and the time when it got there.
  struct Origin;

  void start(const FunctionNode& function, const Array* first,
             std::string detail);
  void stop(const FunctionNode& function, const char* category);
  std::shared_ptr<const DeviceMark> mark(const Device& device);

  NestedCalls<Call> running_;
  std::vector<DeviceSpan> device_spans_;
  std::map<int, Origin> origins_;
};

}  // namespace catena::function_hooks
