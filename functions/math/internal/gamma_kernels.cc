#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/math/internal/gamma_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kGammaKernels = register_rules(functions::GammaRules());

}  // namespace catena::kernels::CATENA_BACKEND
