#pragma once

#include <span>
#include <string_view>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/elementwise_args.h"
#include "catena/array/kernels/ufunc_table.h"

// A rule describes a differentiable elementwise function: a struct with its
// label, its functor and the functors of its gradients:
//
//   struct Sigmoid {
//     static constexpr std::string_view kLabel = "sigmoid";
//     using Forward = array::SigmoidOp;
//     using Gradients = TypeList<On<SigmoidGradient, Y>>;
//   };
//
// There is one gradient per input. On<Op, Sources...> means that Op computes it
// from Sources and, as the last argument, the output's gradient gy. Only what
// the gradients name is retained. Functors are written like those of ufuncs
// (array/kernels/ufunc_ops.h): one body for scalars, lanes, CUDA and, when the
// backward pass is itself recorded, variables (traced.h), so that functions are
// differentiable to any order without more code.
//
// A function with parameters, such as a slope, names a struct Params that both
// its functors derive from.
//
// A ufunc's functor uses the ufunc's kernels; any other gets its own, from its
// family's kernel file (rule_kernels.h).
namespace catena::functions {

// The sources of a gradient: inputs, or the output.
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

// The parameters of a rule; NoParams if it has none.
template <class Rule>
struct ParamsOf {
  using type = NoParams;
};
template <class Rule>
requires requires { typename Rule::Params; }
struct ParamsOf<Rule> {
  using type = typename Rule::Params;
};

// The names of inputs in type checks: Rule::kInputNames, else x, else x0, x1,
// ...
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

}  // namespace catena::functions
