// The kernels of elementwise activations.

#include "catena/functions/activation/activation_ops.h"
#include "catena/functions/elementwise/rule_kernels.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kActivationKernels =
    register_rules(functions::ActivationRules());

}  // namespace catena::kernels::CATENA_BACKEND
