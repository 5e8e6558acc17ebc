// The kernels of local_response_normalization.

#include "catena/functions/elementwise/rule_kernels.h"
#include "catena/functions/normalization/local_response_normalization_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kLocalResponseKernels =
    register_rules(TypeList<functions::LocalResponse>());

}  // namespace catena::kernels::CATENA_BACKEND
