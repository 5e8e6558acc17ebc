// The kernels of sigmoid_cross_entropy.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/loss/sigmoid_cross_entropy_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kSigmoidCrossEntropyTables =
    rule_tables(TypeList<functions::SigmoidCrossEntropy>());

}  // namespace catena::array::CATENA_BACKEND
