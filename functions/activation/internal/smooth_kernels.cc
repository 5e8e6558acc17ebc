#include "catena/functions/activation/internal/gelu_ops.h"
#include "catena/functions/activation/internal/smooth_ops.h"
#include "catena/functions/engines/elementwise/rule_kernels.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kSmoothKernels = register_rules(functions::SmoothRules());
extern const auto kGeluKernels = register_rules(functions::GeluRules());

}  // namespace catena::kernels::CATENA_BACKEND
