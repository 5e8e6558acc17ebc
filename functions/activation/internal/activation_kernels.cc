// The kernels of elementwise activations.

#include "catena/functions/activation/internal/activation_ops.h"
#include "catena/functions/engines/elementwise/rule_kernels.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kActivationKernels =
    register_rules(functions::ActivationRules());

}  // namespace catena::kernels::CATENA_BACKEND
