#pragma once

#include <span>
#include <string_view>
#include <type_traits>

#include "catena/array/dtype.h"
#include "catena/array/elementwise.h"
#include "catena/array/kernel_slot.h"
#include "catena/array/ufunc_table.h"

// How an elementwise function of the autograd is described: by a rule, which is
// a struct of its label, its functor and the functors of its gradients:
//
//   struct Sigmoid {
//     static constexpr std::string_view kLabel = "sigmoid";
//     using Forward = array::SigmoidOp;
//     using Gradients = TypeList<On<SigmoidGradient, Y>>;
//   };
//
// There is one gradient for each input. On<Op, Sources...> says that Op
// computes it from what Sources name and, as the last argument, the output's
// gradient gy. Nothing but what the gradients name is retained. Functors are
// written as those of ufuncs (array/ufunc_ops.h): one body for scalars, lanes,
// CUDA and, when the backward pass is itself recorded, for variables
// (traced.h), which is why a function is differentiable to any order without
// more code.
//
// A function with numbers of its own (a slope, say) names a struct Params from
// which both its functors derive.
//
// A functor that is a ufunc's runs the ufunc's kernels; every other has its
// own, from its family's kernel file (rule_kernels.h).
namespace catena::functions {

// What a gradient reads: inputs, or the output.
template <int i>
struct Input {};
using X0 = Input<0>;
using X1 = Input<1>;
using X2 = Input<2>;
struct Y {};

template <class OpType, class... SourceTypes>
struct On {
  using Op = OpType;
  using Sources = TypeList<SourceTypes...>;
  static constexpr int kOperands = sizeof...(SourceTypes) + 1;

  template <class Source>
  static constexpr bool reads() {
    return (std::is_same_v<Source, SourceTypes> || ...);
  }
};

// The gradient is gy itself.
struct PassesThrough {
  template <class Source>
  static constexpr bool reads() {
    return false;
  }
};

// No gradient flows to this input.
struct NoGradient {
  template <class Source>
  static constexpr bool reads() {
    return false;
  }
};

struct NoParams {};

// The numbers of a rule, NoParams where it names none.
template <class Rule>
struct ParamsOf {
  using type = NoParams;
};
template <class Rule>
requires requires { typename Rule::Params; }
struct ParamsOf<Rule> {
  using type = typename Rule::Params;
};

// What type checks call the inputs: Rule::kInputNames, else x, else x0, x1, ...
inline constexpr std::string_view kNameOfInput[] = {"x"};
inline constexpr std::string_view kNamesOfInputs[] = {"x0", "x1", "x2", "x3"};
template <class Rule, int inputs>
constexpr std::span<const std::string_view> names_of_inputs() {
  if constexpr (requires { Rule::kInputNames; }) {
    return Rule::kInputNames;
  } else if constexpr (inputs == 1) {
    return kNameOfInput;
  } else {
    return std::span(kNamesOfInputs).template first<inputs>();
  }
}

template <class Op, class Params>
constexpr Op make_op([[maybe_unused]] const Params& params) {
  if constexpr (std::is_empty_v<Op>) {
    return Op{};
  } else {
    return Op{params};
  }
}

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
