#pragma once

#include "catena/array/device.h"
#include "catena/autograd/config.h"

// How functions hand work to cuDNN without knowing it. Next to a function
// <name> lies <name>_cudnn.h with a slot, and <name>_cuda.cu, which fills it
// with --config=cuda. A call may decline, and then the kernels
// that every device has do the work, as they do on the CPU.
//
// cuDNN has a slot where it can be faster than those: not for dropout and the
// elementwise activations, whose kernels touch each element once (cuDNN's
// dropout would also draw masks of its own, other than the CPU's), and not for
// batch normalization with given statistics, for the same reason.
namespace catena::functions {

template <class Signature>
class CudnnSlot;

template <class Result, class... Args>
class CudnnSlot<Result(Args...)> {
 public:
  constexpr CudnnSlot() = default;

  // What cuDNN computes on a device that config().use_cudnn lets it have; an
  // empty Result (false, nullopt, an undefined array) when it has declined.
  Result operator()(Device device, Args... args) const {
    if (device.is_native() || function_ == nullptr || !should_use_cudnn()) {
      return Result();
    }
    return function_(args...);
  }
  // Returns true, so that it can initialize.
  bool fill(Result (*function)(Args...)) {
    function_ = function;
    return true;
  }

 private:
  Result (*function_)(Args...) = nullptr;
};

}  // namespace catena::functions
