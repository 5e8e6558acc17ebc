// The kernels of functions with steps or kinks.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/math/stepwise_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kStepwiseRuleTables = rule_tables(functions::StepwiseRules());

}  // namespace catena::array::CATENA_BACKEND
