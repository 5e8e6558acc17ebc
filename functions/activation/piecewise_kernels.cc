// The kernels of activations made of straight pieces.

#include <tuple>

#include "catena/functions/activation/piecewise_ops.h"
#include "catena/functions/elementwise/rule_kernels.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kPiecewiseTables =
    std::tuple{rule_tables(functions::PiecewiseRules()),
               table_of_functor<functions::NegatedReluOp, 1>(),
               table_of_functor<functions::CReluGradient, 4>()};

}  // namespace catena::array::CATENA_BACKEND
