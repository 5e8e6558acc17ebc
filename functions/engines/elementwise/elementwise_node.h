#pragma once

#include <concepts>
#include <string_view>
#include <utility>

#include "catena/array/kernels/elementwise_args.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/kernels/ufunc_table.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_description.h"
#include "catena/functions/engines/elementwise/elementwise_call.h"
#include "catena/functions/engines/elementwise/elementwise_function.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/engines/elementwise/traced.h"

namespace catena::functions {

// Returns the kernels for a rule's functor: the ufunc's, if it is one.
template <class Op, int inputs>
constexpr const KernelSlot<array::ElementwiseTable>& rule_slot() {
  if constexpr (IsUfunc<Op>) {
    return kernel_slot<array::UfuncFamily, Op>;
  } else {
    return kernel_slot<RuleFamily<inputs>, Op>;
  }
}

// The function that a rule describes (rule.h). Inputs have the same floating
// dtype and broadcast together. When the backward pass is not recorded, each
// gradient is one kernel; when it is, the same functor runs on variables.
template <class Rule>
class ElementwiseNode final : public ElementwiseFunction {
 public:
  using Params = typename ParamsOf<Rule>::type;

  explicit ElementwiseNode(const Params& params = {}) : params_(params) {}

  std::string_view label() const override { return Rule::kLabel; }
  FunctionDescription description() const override {
    return FunctionDescription::of<Rule>(options_of(params_));
  }
  bool repeats() const override {
    if constexpr (requires { params_.repeats(); }) {
      return params_.repeats();
    } else {
      return true;
    }
  }

  void check_type_forward(TypeCheck& in) const override {
    check_elementwise_types(in, names_of_inputs<Rule, kInputs>());
  }

  Arrays forward(const Arrays& in) override {
    retain(InputIndexes());
    using Op = typename Rule::Forward;
    const Op op = make_op<Op>(params_);
    return run(op, InputIndexes(), in);
  }

  const KernelSlot<array::ElementwiseTable>& kernel(
      FunctorBytes& functor) const override {
    using Op = typename Rule::Forward;
    functor.set(make_op<Op>(params_));
    return rule_slot<Op, kInputs>();
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    if (!gy[0].defined()) return Variables(wanted.size());
    Variables gradients;
    const bool records = config().enable_backprop;
    for (const int i : wanted) {
      gradients.push_back(gradient(i, gy[0], records, InputIndexes()));
      if (kInputs > 1) sum_to_input(gradients.back(), *inputs()[i], records);
    }
    return gradients;
  }

 private:
  template <class List>
  struct SizeOf;
  template <class... Ts>
  struct SizeOf<TypeList<Ts...>> {
    static constexpr int value = sizeof...(Ts);
  };
  using Gradients = typename Rule::Gradients;
  static constexpr int kInputs = SizeOf<Gradients>::value;
  using InputIndexes = std::make_index_sequence<kInputs>;

  // Retains what the gradients that can be asked for read.
  template <size_t... i>
  void retain(std::index_sequence<i...> indexes) {
    ((is_read<Input<i>>(indexes) ? retain_input(i) : void()), ...);
    if (is_read<Y>(indexes)) retain_output(0);
  }
  template <class Source, size_t... k>
  bool is_read(std::index_sequence<k...>) const {
    return ((NthOf<k, Gradients>::template reads<Source>() &&
             is_differentiated(k)) ||
            ...);
  }

  template <class Op, size_t... i>
  static Arrays run(const Op& op, std::index_sequence<i...>, const Arrays& in) {
    Arrays outputs;  // braces would count a copy
    outputs.push_back(run_rule(rule_slot<Op, kInputs>(), &op, {&in[i]...}));
    return outputs;
  }

  template <size_t... k>
  Variable gradient(int i, const Variable& gy, bool records,
                    std::index_sequence<k...>) {
    Variable result;
    ((i == static_cast<int>(k)
          ? void(result = gradient_by(NthOf<k, Gradients>(), gy, records))
          : void()),
     ...);
    return result;
  }

  template <int k, class List>
  struct Nth;
  template <int k, class First, class... Rest>
  struct Nth<k, TypeList<First, Rest...>> : Nth<k - 1, TypeList<Rest...>> {};
  template <class First, class... Rest>
  struct Nth<0, TypeList<First, Rest...>> {
    using type = First;
  };
  template <int k, class List>
  using NthOf = typename Nth<k, List>::type;

  Variable gradient_by(NoGradient, const Variable&, bool) { return {}; }
  Variable gradient_by(PassesThrough, const Variable& gy, bool) { return gy; }
  template <class Op, class... Sources>
  Variable gradient_by(On<Op, Sources...>, const Variable& gy, bool records) {
    const Op op = make_op<Op>(params_);
    if (!records) {
      return as_variable(run_rule(rule_slot<Op, sizeof...(Sources) + 1>(), &op,
                                  {&retained_array(Sources())..., &gy.data()}));
    }
    return op(Traced(retained_variable(Sources()))..., Traced(gy))
        .variable_like(gy);
  }

  template <int i>
  const Array& retained_array(Input<i>) const {
    return retained_input_array(i);
  }
  const Array& retained_array(Y) const { return retained_output_array(0); }
  template <int i>
  Variable retained_variable(Input<i>) const {
    return retained_input(i);
  }
  Variable retained_variable(Y) { return retained_output(0); }

  [[no_unique_address]] Params params_;
};

// Applies the function that a rule describes, with its parameters if it has
// any.
template <class Rule, std::derived_from<Variable>... Inputs>
Variable elementwise(const Inputs&... inputs) {
  return apply<ElementwiseNode<Rule>>({inputs...});
}
template <class Rule, std::derived_from<Variable>... Inputs>
Variable elementwise(const typename Rule::Params& params,
                     const Inputs&... inputs) {
  return apply<ElementwiseNode<Rule>>({inputs...}, params);
}

// Records a function of one variable. Call it in overloads for Traced of the
// functions that gradient functors use.
template <class Rule>
Traced trace(const Traced& x) {
  if (x.is_number()) return Traced(typename Rule::Forward()(x.number()));
  return Traced(elementwise<Rule>(x.variable()));
}

}  // namespace catena::functions
