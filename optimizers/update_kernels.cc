// The fused updates of the optimizers and their hooks, one row each.

#include <array>

#include "catena/array/elementwise_kernel.h"
#include "catena/array/kernel_tables.h"
#include "catena/optimizers/adam_ops.h"
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

// Fills the slots on CUDA.
extern const std::array kUpdateTables =
    instantiate_kernels<optimizers::SGDOp, optimizers::MomentumSGDOp,
                        optimizers::AdamOp, optimizers::WeightDecayOp,
                        optimizers::ScaleGradientOp>();

}  // namespace catena::array::CATENA_BACKEND
