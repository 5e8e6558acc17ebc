#pragma once

#include <string_view>

#include "catena/array/kernel_tables.h"
#include "catena/array/ufunc_table.h"

// The kernel slots of functors that rules name. A functor that is a ufunc's
// uses the ufunc's kernels; every other has its own, from its family's kernel
// file (rule_kernels.h).
namespace catena::functions {

// The key of the kernels of a functor with `inputs` inputs.
template <class OpType, int inputs>
struct RuleKernel {
  using Op = OpType;
  static constexpr int kInputs = inputs;
  static constexpr std::string_view kName = Op::kName;
};

template <class Op>
concept IsUfunc = requires {
  typename array::RowOf<Op>;
};

template <class Op, int inputs>
constexpr const KernelSlot<array::ElementwiseTable>& rule_slot() {
  if constexpr (IsUfunc<Op>) {
    return array::elementwise_slot<Op>;
  } else {
    return array::elementwise_slot<RuleKernel<Op, inputs>>;
  }
}

}  // namespace catena::functions
