#include <tuple>

#include "catena/functions/activation/internal/piecewise_ops.h"
#include "catena/functions/engines/elementwise/rule_kernels.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kPiecewiseKernels =
    std::tuple{register_rules(functions::PiecewiseRules()),
               register_functor<functions::NegatedReluOp, 1>(),
               register_functor<functions::CReluGradient, 4>()};

}  // namespace catena::kernels::CATENA_BACKEND
