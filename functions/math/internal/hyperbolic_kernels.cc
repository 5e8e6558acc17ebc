#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/math/internal/hyperbolic_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kHyperbolicRuleKernels =
    register_rules(functions::HyperbolicRules());

}  // namespace catena::kernels::CATENA_BACKEND
