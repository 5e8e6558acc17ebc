#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/loss/internal/loss_ops.h"
#include "catena/functions/loss/internal/vae_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kLossKernels = register_rules(functions::LossRules());
extern const auto kVaeKernels = register_rules(functions::VaeRules());

}  // namespace catena::kernels::CATENA_BACKEND
