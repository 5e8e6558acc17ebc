// The fused updates of the optimizers and their hooks, one row each.

#include <array>

#include "catena/array/elementwise_kernel.h"
#include "catena/array/kernel_tables.h"
#include "catena/optimizers/adam_ops.h"
#include "catena/optimizers/adaptive_ops.h"
#include "catena/optimizers/hook_ops.h"
#include "catena/optimizers/sgd_ops.h"

namespace catena::array::CATENA_BACKEND {
namespace {

template <class T>
using None = TypeList<>;
template <class T>
using Grad = TypeList<T>;
template <class T>
using One = TypeList<T>;
template <class T>
using Two = TypeList<T, T>;
template <class T>
using Three = TypeList<T, T, T>;
template <class T>
using Four = TypeList<T, T, T, T>;

}  // namespace

template <>
const ElementwiseTable Kernels<optimizers::SGDOp>::table =
    elementwise_table<optimizers::SGDOp, Grad, One>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::MomentumSGDOp>::table =
    elementwise_table<optimizers::MomentumSGDOp, Grad, Two>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::AdamOp>::table =
    elementwise_table<optimizers::AdamOp, Grad, Three>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::WeightDecayOp>::table =
    elementwise_table<optimizers::WeightDecayOp, One, One>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::ScaleGradientOp>::table =
    elementwise_table<optimizers::ScaleGradientOp, None, One>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::CorrectedMomentumSGDOp>::table =
    elementwise_table<optimizers::CorrectedMomentumSGDOp, Grad, Two>(
        FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::NesterovAGOp>::table =
    elementwise_table<optimizers::NesterovAGOp, Grad, Two>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::AdaGradOp>::table =
    elementwise_table<optimizers::AdaGradOp, Grad, Two>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::AdaDeltaOp>::table =
    elementwise_table<optimizers::AdaDeltaOp, Grad, Three>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::RMSpropOp>::table =
    elementwise_table<optimizers::RMSpropOp, Grad, Two>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::RMSpropGravesOp>::table =
    elementwise_table<optimizers::RMSpropGravesOp, Grad, Four>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::SMORMS3Op>::table =
    elementwise_table<optimizers::SMORMS3Op, Grad, Four>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::MSVAGOp>::table =
    elementwise_table<optimizers::MSVAGOp, Grad, Three>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::AdaBoundOp>::table =
    elementwise_table<optimizers::AdaBoundOp, Grad, Three>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::AMSBoundOp>::table =
    elementwise_table<optimizers::AMSBoundOp, Grad, Four>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::LassoOp>::table =
    elementwise_table<optimizers::LassoOp, One, One>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::ClampGradientOp>::table =
    elementwise_table<optimizers::ClampGradientOp, None, One>(FloatTypes());
template <>
const ElementwiseTable Kernels<optimizers::LARSOp>::table =
    elementwise_table<optimizers::LARSOp, One, One>(FloatTypes());

// Fills the slots on CUDA.
extern const std::array kUpdateTables = instantiate_kernels<
    optimizers::SGDOp, optimizers::MomentumSGDOp, optimizers::AdamOp,
    optimizers::WeightDecayOp, optimizers::ScaleGradientOp,
    optimizers::CorrectedMomentumSGDOp, optimizers::NesterovAGOp,
    optimizers::AdaGradOp, optimizers::AdaDeltaOp, optimizers::RMSpropOp,
    optimizers::RMSpropGravesOp, optimizers::SMORMS3Op, optimizers::MSVAGOp,
    optimizers::AdaBoundOp, optimizers::AMSBoundOp, optimizers::LassoOp,
    optimizers::ClampGradientOp, optimizers::LARSOp>();

}  // namespace catena::array::CATENA_BACKEND
