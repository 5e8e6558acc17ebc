// The kernels of elementwise activations.

#include "catena/functions/activation/activation_ops.h"
#include "catena/functions/elementwise/rule_kernels.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kActivationTables = rule_tables(functions::ActivationRules());

}  // namespace catena::array::CATENA_BACKEND
