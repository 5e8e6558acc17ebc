#include "catena/functions/engines/elementwise/rule_kernels.h"
#include "catena/functions/normalization/internal/local_response_normalization_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kLocalResponseKernels =
    register_rules(TypeList<functions::LocalResponse>());

}  // namespace catena::kernels::CATENA_BACKEND
