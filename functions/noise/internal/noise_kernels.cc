#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/noise/internal/noise_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kNoiseKernels = register_rules(functions::NoiseRules());

}  // namespace catena::kernels::CATENA_BACKEND
