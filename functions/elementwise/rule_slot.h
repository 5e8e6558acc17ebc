#pragma once

#include "catena/array/dtype.h"
#include "catena/array/elementwise.h"
#include "catena/array/kernel_slot.h"
#include "catena/array/ufunc_table.h"

// The kernel slots of functors that rules name. A functor that is a ufunc's
// uses the ufunc's kernels; every other has its own, from its family's kernel
// file (rule_kernels.h).
namespace catena::functions {

// Functors with `inputs` inputs.
template <int inputs>
struct RuleFamily : array::ElementwiseFamily {
  template <class Op>
  using Dtypes = FloatTypes;
};

template <class Op>
concept IsUfunc = requires {
  typename array::RowOf<Op>;
};

template <class Op, int inputs>
constexpr const KernelSlot<array::ElementwiseTable>& rule_slot() {
  if constexpr (IsUfunc<Op>) {
    return kernel_slot<array::UfuncFamily, Op>;
  } else {
    return kernel_slot<RuleFamily<inputs>, Op>;
  }
}

}  // namespace catena::functions
