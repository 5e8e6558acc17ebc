#pragma once

// CUDA's kernels of the distributions.

#include <cstdint>
#include <type_traits>

#include "catena/array/cuda/random_steps.cuh"
#include "catena/array/kernels/random_kernel.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/record_params.h"

// Each launch of a captured graph finds its own place in the stream.
template <>
inline constexpr bool catena::cuda::kIsRecorded<catena::array::RandomStream> =
    false;

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    fill_random(Op op, T* out, int64_t size, RandomStream stream,
                const RandomStream* captured) {
  if (captured != nullptr) stream = *captured;
  RandomSteps<Op, T>::fill(op, out, size, stream.first, stream.key);
}

// A counter for each thread, up to as many threads as run at once.
template <int kCounterValues, class Kernel>
int64_t random_blocks(Kernel kernel, int64_t size, int device) {
  constexpr int kThreads = catena::cuda::kBlockThreads;
  return catena::cuda::loop_blocks(
      size, kCounterValues,
      catena::cuda::resident_blocks(kernel, kThreads, device));
}

template <class Op, class T>
class RandomLoop {
 public:
  // The kernel as the slot's table holds it.
  static void run(const RandomArgs& args) {
    static_assert(std::is_trivially_copyable_v<Op>,
                  "a functor travels to the device byte by byte");
    const int device = args.device.index();
    const auto kernel = &fill_random<Op, T>;
    catena::cuda::launch(
        kernel,
        random_blocks<RandomSteps<Op, T>::kCounterValues>(kernel, args.size,
                                                          device),
        catena::cuda::kBlockThreads, device, *static_cast<const Op*>(args.op),
        reinterpret_cast<T*>(args.out), args.size, args.stream, args.captured);
  }
};

template <class T>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    multiply_by_mask(MaskOp op, const T* in, T* out, int64_t size,
                     RandomStream stream) {
  RandomSteps<MaskOp, T>::visit(
      op, size, stream.first, stream.key, [&](int64_t i, T factor) {
        out[i] = catena::cuda::narrow<T>(catena::cuda::widen(in[i]) *
                                         catena::cuda::widen(factor));
      });
}

// As MaskedKernel says.
template <class T>
void run_masked(const RandomArgs& args, const char* in) {
  const int device = args.device.index();
  const auto kernel = &multiply_by_mask<T>;
  catena::cuda::launch(kernel,
                       random_blocks<RandomSteps<MaskOp, T>::kCounterValues>(
                           kernel, args.size, device),
                       catena::cuda::kBlockThreads, device,
                       *static_cast<const MaskOp*>(args.op),
                       reinterpret_cast<const T*>(in),
                       reinterpret_cast<T*>(args.out), args.size, args.stream);
}

}  // namespace catena::kernels::CATENA_BACKEND
