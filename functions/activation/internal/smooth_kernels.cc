#include "catena/functions/activation/internal/smooth_ops.h"
#include "catena/functions/engines/elementwise/rule_kernels.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kSmoothKernels = register_rules(functions::SmoothRules());

}  // namespace catena::kernels::CATENA_BACKEND
