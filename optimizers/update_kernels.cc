// The fused updates of the optimizers and their hooks.

#include <type_traits>
#include <utility>

#include "catena/array/kernels/reduction_ops.h"
#include "catena/array/ufunc/elementwise_kernel.h"
#include "catena/optimizers/adam_ops.h"
#include "catena/optimizers/adaptive_ops.h"
#include "catena/optimizers/copy_ops.h"
#include "catena/optimizers/hook_ops.h"
#include "catena/optimizers/loss_scale_ops.h"
#include "catena/optimizers/muon_ops.h"
#include "catena/optimizers/sgd_ops.h"
#include "catena/optimizers/update_slot.h"
#ifdef __CUDACC__
#include "catena/array/cuda/update_launcher.cuh"
#endif

namespace catena::kernels::CATENA_BACKEND {

// Whether a functor takes these arguments: `inputs` values, then references to
// the elements it changes.
template <class Op, size_t inputs, size_t... k>
constexpr bool takes(std::index_sequence<k...>) {
  return std::is_invocable_v<
      const Op&, std::conditional_t<(k < inputs), float, float&>...>;
}

template <class Op, size_t operands = 1>
constexpr size_t count_operands() {
  static_assert(operands <= optimizers::kMaxUpdateOperands);
  if constexpr (takes<Op, 0>(std::make_index_sequence<operands>())) {
    return operands;
  } else {
    return count_operands<Op, operands + 1>();
  }
}

template <class Op, size_t inputs = 0>
constexpr size_t count_inputs() {
  if constexpr (takes<Op, inputs + 1>(
                    std::make_index_sequence<count_operands<Op>()>())) {
    return count_inputs<Op, inputs + 1>();
  } else {
    return inputs;
  }
}

// The operands of an update functor.
template <class Op>
struct UpdateOperands {
  static constexpr size_t kInputs = count_inputs<Op>();
  static constexpr size_t kOperands = count_operands<Op>();
};

// The types of operands from the one numbered `first` on, of the functor's
// kernel for T.
template <class Op, class T, size_t first, size_t... k>
constexpr auto operand_types(std::index_sequence<k...>) {
  constexpr unsigned kFloat32 = optimizers::kFloat32Operands<Op>;
  return TypeList<
      std::conditional_t<(kFloat32 >> (first + k) & 1) != 0, float, T>...>();
}
template <class Op, class T, size_t first, size_t end>
using OperandTypes = decltype(operand_types<Op, T, first>(
    std::make_index_sequence<end - first>()));

template <class Op, class T>
struct Loop<optimizers::UpdateFamily, Op, T>
    : ElementwiseLoop<Op, OperandTypes<Op, T, 0, UpdateOperands<Op>::kInputs>,
                      OperandTypes<Op, T, UpdateOperands<Op>::kInputs,
                                   UpdateOperands<Op>::kOperands>> {};

#ifdef __CUDACC__
template <class Op, class... Ts>
constexpr optimizers::UpdateManyTable update_many_table(TypeList<Ts...>) {
  using Operands = UpdateOperands<Op>;
  optimizers::UpdateManyTable table;
  (table.set(dtype_of<Ts>,
             UpdateMany<Op, Operands::kInputs,
                        OperandTypes<Op, Ts, 0, Operands::kOperands>>::run),
   ...);
  return table;
}

template <class Op, class... Ts>
constexpr optimizers::SumManyTable sum_many_table(TypeList<Ts...>) {
  optimizers::SumManyTable table;
  (table.set(dtype_of<Ts>, SumMany<Op, Ts>::run), ...);
  return table;
}

template <class... Recipes>
constexpr void register_recipes() {
  (optimizers::make_functors_slot<Recipes>.set_cuda(
       &run_make_functors<Recipes>),
   ...);
}

template <class Op>
const optimizers::UpdateManyTable kUpdateMany =
    update_many_table<Op>(optimizers::UpdateFamily::Dtypes<Op>());
template <class Op>
const optimizers::SumManyTable kSumMany = sum_many_table<Op>(FloatTypes());
#endif

// On CUDA there are also kernels for many arrays, sums over many, and functors
// made from recipes.
template <class... Ops>
constexpr auto register_updates(TypeList<Ops...> ops) {
#ifdef __CUDACC__
  (optimizers::update_many_slot<Ops>.set_cuda(&kUpdateMany<Ops>), ...);
  register_recipes<optimizers::AdamStep, optimizers::AdaBoundStep,
                   optimizers::AMSBoundStep, optimizers::AdamWStep,
                   optimizers::MSVAGStep>();
  optimizers::sum_many_slot<array::SumOp>.set_cuda(&kSumMany<array::SumOp>);
  optimizers::sum_many_slot<array::SumOfSquaresOp>.set_cuda(
      &kSumMany<array::SumOfSquaresOp>);
#endif
  return register_kernels<optimizers::UpdateFamily>(ops);
}

extern const auto kUpdateKernels = register_updates(
    TypeList<
        optimizers::SGDOp, optimizers::MomentumSGDOp, optimizers::AdamOp,
        optimizers::AdamWOp, optimizers::MuonMomentumOp, optimizers::MuonOp,
        optimizers::WeightDecayOp, optimizers::ScaleGradientOp,
        optimizers::ScaleGradientByOp, optimizers::CorrectedMomentumSGDOp,
        optimizers::NesterovAGOp, optimizers::AdaGradOp, optimizers::AdaDeltaOp,
        optimizers::RMSpropOp, optimizers::RMSpropGravesOp,
        optimizers::SMORMS3Op, optimizers::MSVAGOp, optimizers::AdaBoundOp,
        optimizers::AMSBoundOp, optimizers::LassoOp,
        optimizers::ClampGradientOp, optimizers::LARSOp, optimizers::AverageOp,
        optimizers::WideAverageOp, optimizers::WidenOp, optimizers::WidenByOp,
        optimizers::NarrowOp, optimizers::LossScaleOp>());

}  // namespace catena::kernels::CATENA_BACKEND
