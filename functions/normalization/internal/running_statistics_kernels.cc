// The kernel that updates the running averages of batch normalization.

#include "catena/array/ufunc/elementwise_kernel.h"
#include "catena/functions/normalization/internal/running_statistics_ops.h"

namespace catena::kernels::CATENA_BACKEND {

template <class Op, class T>
struct Loop<functions::RunningStatisticsFamily, Op, T>
    : ElementwiseLoop<Op, Repeated<T, 2>, Repeated<T, 2>> {};

extern const auto kRunningStatisticsKernels =
    register_kernels<functions::RunningStatisticsFamily>(
        TypeList<functions::RunningStatisticsOp>());

}  // namespace catena::kernels::CATENA_BACKEND
