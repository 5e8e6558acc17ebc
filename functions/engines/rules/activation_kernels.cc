#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/engines/rules/activation_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kActivationKernels =
    register_rules(functions::ActivationRules());

}  // namespace catena::kernels::CATENA_BACKEND
