#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/math/internal/stepwise_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kStepwiseRuleKernels =
    register_rules(functions::StepwiseRules());

}  // namespace catena::kernels::CATENA_BACKEND
