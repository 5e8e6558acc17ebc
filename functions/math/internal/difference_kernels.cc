#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/math/internal/difference_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kDifferenceKernels =
    register_rules(functions::DifferenceRules());

}  // namespace catena::kernels::CATENA_BACKEND
