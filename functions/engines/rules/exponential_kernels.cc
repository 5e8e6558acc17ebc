#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/engines/rules/exponential_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kExponentialKernels =
    register_rules(functions::ExponentialRules());

}  // namespace catena::kernels::CATENA_BACKEND
