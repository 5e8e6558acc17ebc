#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/kernels/kernel_type.h"
#include "catena/array/kernels/random_kernel.h"
#ifdef __CUDACC__
#include "catena/array/cuda/random_launcher.cuh"
#else
#include "catena/array/cpu/random_loop.h"
#endif

namespace catena::kernels::CATENA_BACKEND {
template <class Op, class T>
struct Loop<RandomFamily, Op, T> : RandomLoop<Op, KernelType<Op, T>> {};

#ifdef __CUDACC__
template <class... Ts>
constexpr MaskedTable masked_table(TypeList<Ts...>) {
  MaskedTable table;
  (table.set(dtype_of<Ts>, run_masked<Ts>), ...);
  return table;
}
const MaskedTable kMasked = masked_table(FloatTypes());
[[maybe_unused]] const bool has_masked = [] {
  masked_slot.set_cuda(&kMasked);
  return true;
}();
#endif

extern const auto kRandomKernels =
    register_kernels<RandomFamily>(Distributions());

}  // namespace catena::kernels::CATENA_BACKEND
