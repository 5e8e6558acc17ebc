// The kernels of all distributions.

#include "catena/array/kernel_definition.h"
#include "catena/array/random_kernel.h"
#ifdef __CUDACC__
#include "catena/array/cuda/random_launcher.cuh"
#else
#include "catena/array/cpu/random_loop.h"
#endif

namespace catena::kernels::CATENA_BACKEND {
template <class Op, class T>
struct Loop<RandomFamily, Op, T> : RandomLoop<Op, T> {};

extern const auto kRandomKernels =
    register_kernels<RandomFamily>(Distributions());

}  // namespace catena::kernels::CATENA_BACKEND
