// Kernels that convert indices along axes to offsets and back.

#include "catena/array/indexing/offset_ops.h"
#include "catena/array/ufunc/elementwise_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
struct Loop<OffsetFamily, Op, T>
    : ElementwiseLoop<Op, TypeList<T>, TypeList<T>> {};

extern const auto kOffsetKernels =
    register_kernels<OffsetFamily>(TypeList<AddOffsetOp, UnravelOp>());

}  // namespace catena::kernels::CATENA_BACKEND
