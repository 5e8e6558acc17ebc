#pragma once

// Elementwise functions on a GPU from the caller's functors, in files compiled
// by nvcc (with --extended-lambda for lambdas) and with CATENA_BACKEND=cuda
// (local_defines of the cuda_library). For the CPU see
// array/user_kernel/functor_kernels.h.

#include <array>
#include <type_traits>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/cuda/elementwise_launcher.cuh"
#include "catena/array/elementwise.h"
#include "catena/array/user_kernel/functor_call.h"
#include "catena/cuda/element.cuh"

namespace catena::cuda {
namespace internal {

// Wraps a functor with explicit types, since the host cannot deduce those of a
// __device__ lambda.
template <class F, class Out, class... In>
struct DeviceFunctor {
  F f;
  __device__ Compute<Out> operator()(Compute<In>... values) const {
    return static_cast<Compute<Out>>(f(static_cast<In>(values)...));
  }
};

template <class FunctionType>
struct DeviceCall;
template <class Out, class... In>
struct DeviceCall<Out(In...)> {
  template <class F>
  static Array run(const F& f, std::span<const Operand> args) {
    static_assert((Element<In> && ...) && Element<Out>,
                  "a functor takes and gives elements of arrays");
    static_assert(sizeof...(In) < array::kMaxOperands);
    constexpr std::array<Dtype, sizeof...(In)> kDtypes = {dtype_of<In>...};
    array::internal::FunctorCall call = array::internal::settle_functor_call(
        args, kDtypes, "cuda::elementwise");
    if (call.device.is_native()) {
      raise<DeviceError>("cuda::elementwise: expected arrays on a GPU, got ",
                         call.device);
    }
    const Array out = array::empty(call.shape, dtype_of<Out>, call.device);
    call.operands.push_back(array::KernelOperand(out));
    using Functor = DeviceFunctor<F, Out, In...>;
    const Functor functor{f};
    array::ElementwiseArgs plan;
    array::plan_elementwise(call.operands, &functor, plan);
    if (plan.size > 0) {
      kernels::CATENA_BACKEND::ElementwiseLoop<Functor, TypeList<In...>,
                                               TypeList<Out>>::run(plan);
    }
    return out;
  }
};

}  // namespace internal

// y = f(a, b, ...), elementwise with broadcasting, on the arrays' GPU:
//
//   Array z = cuda::elementwise<float(float, float)>(
//       [] __device__(float x, float y) { return x * y + 1; }, x, 2);
//
// The function type determines the dtypes: arrays must have those of the
// parameters, numbers are cast to them, and the result has that of the return
// type. Throws ValueError, DtypeError and ShapeError as array::elementwise
// does, DeviceError for arrays on a native device, CudaError.
template <class FunctionType, class F, class... Args>
Array elementwise(const F& f, const Args&... args) {
  static_assert(std::is_trivially_copyable_v<F>,
                "a functor travels to the device byte by byte");
  const std::array<Operand, sizeof...(Args)> list = {Operand(args)...};
  return internal::DeviceCall<FunctionType>::run(f, list);
}

}  // namespace catena::cuda
