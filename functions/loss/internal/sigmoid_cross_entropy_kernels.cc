#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/loss/internal/sigmoid_cross_entropy_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kSigmoidCrossEntropyKernels =
    register_rules(TypeList<functions::SigmoidCrossEntropy>());

}  // namespace catena::kernels::CATENA_BACKEND
