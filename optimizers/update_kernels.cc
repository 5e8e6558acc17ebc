// The fused updates of the optimizers and their hooks.

#include <type_traits>
#include <utility>

#include "catena/array/elementwise_kernel.h"
#include "catena/optimizers/adam_ops.h"
#include "catena/optimizers/adaptive_ops.h"
#include "catena/optimizers/hook_ops.h"
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

template <class Op, class T>
struct Loop<optimizers::UpdateFamily, Op, T>
    : ElementwiseLoop<Op, Repeated<T, UpdateOperands<Op>::kInputs>,
                      Repeated<T, UpdateOperands<Op>::kOperands -
                                      UpdateOperands<Op>::kInputs>> {};

#ifdef __CUDACC__
template <class Op, class... Ts>
constexpr optimizers::UpdateManyTable update_many_table(TypeList<Ts...>) {
  using Operands = UpdateOperands<Op>;
  optimizers::UpdateManyTable table;
  (table.set(dtype_of<Ts>,
             UpdateMany<Op, Ts, Operands::kInputs, Operands::kOperands>::run),
   ...);
  return table;
}

template <class Op>
const optimizers::UpdateManyTable kUpdateMany =
    update_many_table<Op>(FloatTypes());
#endif

// On CUDA there are also kernels for many arrays.
template <class... Ops>
constexpr auto register_updates(TypeList<Ops...> ops) {
#ifdef __CUDACC__
  ((optimizers::cuda_update_many<Ops> = &kUpdateMany<Ops>), ...);
#endif
  return register_kernels<optimizers::UpdateFamily>(ops);
}

extern const auto kUpdateKernels = register_updates(
    TypeList<optimizers::SGDOp, optimizers::MomentumSGDOp, optimizers::AdamOp,
             optimizers::WeightDecayOp, optimizers::ScaleGradientOp,
             optimizers::ScaleGradientByOp, optimizers::CorrectedMomentumSGDOp,
             optimizers::NesterovAGOp, optimizers::AdaGradOp,
             optimizers::AdaDeltaOp, optimizers::RMSpropOp,
             optimizers::RMSpropGravesOp, optimizers::SMORMS3Op,
             optimizers::MSVAGOp, optimizers::AdaBoundOp,
             optimizers::AMSBoundOp, optimizers::LassoOp,
             optimizers::ClampGradientOp, optimizers::LARSOp>());

}  // namespace catena::kernels::CATENA_BACKEND
