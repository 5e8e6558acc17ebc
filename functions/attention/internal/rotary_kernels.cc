// The kernel of rotary_embedding, which computes halves in float32.

#include <type_traits>

#include "catena/array/ufunc/elementwise_kernel.h"
#include "catena/functions/attention/internal/rotary_ops.h"

namespace catena::kernels::CATENA_BACKEND {

template <class T>
using Angle = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class Op, class T>
struct Loop<functions::RotaryFamily, Op, T>
    : ElementwiseLoop<Op, TypeList<T, T, Angle<T>, Angle<T>>, Repeated<T, 2>> {
};

extern const auto kRotaryKernels =
    register_kernels<functions::RotaryFamily>(TypeList<functions::RotaryOp>());

}  // namespace catena::kernels::CATENA_BACKEND
