#pragma once

// Included by the kernel source of a family of rules: register_rules(Family())
// compiles a kernel for every floating dtype for each functor that is not a
// ufunc.

#include <tuple>

#include "catena/array/core/dtype.h"
#include "catena/array/ufunc/elementwise_kernel.h"
#include "catena/functions/engines/elementwise/rule.h"

namespace catena::kernels::CATENA_BACKEND {

template <int inputs, class Op, class T>
struct Loop<functions::RuleFamily<inputs>, Op, T>
    : ElementwiseLoop<Op, Repeated<T, inputs>, TypeList<T>> {};

template <class Op, int inputs>
constexpr auto register_functor() {
  if constexpr (functions::IsUfunc<Op>) {
    return nullptr;  // array's kernel
  } else {
    return register_kernels<functions::RuleFamily<inputs>>(TypeList<Op>());
  }
}

template <class Op, class... Sources>
constexpr auto register_gradient(functions::On<Op, Sources...>) {
  return register_functor<Op, sizeof...(Sources) + 1>();
}
constexpr auto register_gradient(functions::PassesThrough) { return nullptr; }
constexpr auto register_gradient(functions::NoGradient) { return nullptr; }

template <class Rule, class... Gradients>
constexpr auto register_rule(TypeList<Gradients...>) {
  return std::tuple{
      register_functor<typename Rule::Forward, sizeof...(Gradients)>(),
      register_gradient(Gradients())...};
}

template <class... Rules>
constexpr auto register_rules(TypeList<Rules...>) {
  return std::tuple{register_rule<Rules>(typename Rules::Gradients())...};
}

}  // namespace catena::kernels::CATENA_BACKEND
