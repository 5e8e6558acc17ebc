#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/plan/internal/fold_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kFoldedWeights =
    register_functor<functions::FoldedWeightsOp, 3>();
extern const auto kFoldedBias = register_functor<functions::FoldedBiasOp, 5>();

}  // namespace catena::kernels::CATENA_BACKEND
