#pragma once

#include "catena/array/core/device.h"
#include "catena/autograd/config.h"

// Lets functions call cuDNN without depending on it. Next to a function <name>,
// <name>_cudnn.h declares a slot, which <name>_cuda.cu fills under
// --config=cuda. A call may decline, before or after it has written results;
// the function then uses catena's own kernels, as on the CPU.
//
// Slots exist only where cuDNN can be faster: not for dropout, elementwise
// activations and batch normalization with given statistics, whose kernels
// touch each element once. (cuDNN's dropout would also draw other masks than
// the CPU.)
namespace catena::functions {

namespace cudnn {

// Thrown by a slot's function when cuDNN does not support the call.
struct NotSupported {};

}  // namespace cudnn

template <class Signature>
class CudnnSlot;

template <class Result, class... Args>
class CudnnSlot<Result(Args...)> {
 public:
  constexpr CudnnSlot() = default;

  // Calls cuDNN if config().use_cudnn allows it on this device. Returns an
  // empty Result (false, nullopt, an undefined array) when the call declined by
  // returning one, or by NotSupported.
  Result operator()(Device device, Args... args) const {
    if (device.is_native() || function_ == nullptr || !should_use_cudnn()) {
      return Result();
    }
    try {
      return function_(args...);
    } catch (const cudnn::NotSupported&) {
      return Result();
    }
  }
  bool is_filled() const { return function_ != nullptr; }
  // Returns true, so that it can initialize a static variable.
  bool fill(Result (*function)(Args...)) {
    function_ = function;
    return true;
  }

 private:
  Result (*function_)(Args...) = nullptr;
};

}  // namespace catena::functions
