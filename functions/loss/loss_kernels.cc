// The kernels of losses that are elementwise before they are reduced.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/loss/loss_ops.h"
#include "catena/functions/loss/vae_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kLossTables = rule_tables(functions::LossRules());
extern const auto kVaeTables = rule_tables(functions::VaeRules());

}  // namespace catena::array::CATENA_BACKEND
