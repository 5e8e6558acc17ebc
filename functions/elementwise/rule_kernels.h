#pragma once

// What the kernel file of a family of rules includes: it instantiates
// rule_tables(Family()) once, and each functor that the rules name and that is
// no ufunc gets a kernel for every floating dtype and every backend.

#include <array>

#include "catena/array/elementwise_kernel.h"
#include "catena/array/kernel_tables.h"
#include "catena/functions/elementwise/rule.h"
#include "catena/functions/elementwise/rule_slot.h"

namespace catena::array::CATENA_BACKEND {

template <class T, size_t>
using Repeated = T;

// The operand types of a functor with as many inputs as there are indexes.
template <class T, size_t... i>
constexpr TypeList<Repeated<T, i>...> repeat(std::index_sequence<i...>) {
  return {};
}

template <class Key, class... Ts>
constexpr ElementwiseTable table_of_key(TypeList<Ts...>) {
  using Inputs = std::make_index_sequence<Key::kInputs>;
  ElementwiseTable table;
  (table.set(dtype_of<Ts>,
             ElementwiseLoop<typename Key::Op, decltype(repeat<Ts>(Inputs())),
                             TypeList<Ts>>::run),
   ...);
  return table;
}

template <class Key>
const ElementwiseTable Kernels<Key>::table = table_of_key<Key>(FloatTypes());

template <class Op, int inputs>
constexpr const ElementwiseTable* table_of_functor() {
  if constexpr (functions::IsUfunc<Op>) {
    return nullptr;  // array's
  } else {
    using Key = functions::RuleKernel<Op, inputs>;
#ifdef __CUDACC__
    elementwise_slot<Key>.set_cuda(&Kernels<Key>::table);
#endif
    return &Kernels<Key>::table;
  }
}

template <class Op, class... Sources>
constexpr const ElementwiseTable* table_of_gradient(
    functions::On<Op, Sources...>) {
  return table_of_functor<Op, sizeof...(Sources) + 1>();
}
constexpr const ElementwiseTable* table_of_gradient(functions::PassesThrough) {
  return nullptr;
}
constexpr const ElementwiseTable* table_of_gradient(functions::NoGradient) {
  return nullptr;
}

template <class Rule, class... Gradients>
constexpr auto tables_of_rule(TypeList<Gradients...>) {
  return std::array{
      table_of_functor<typename Rule::Forward, sizeof...(Gradients)>(),
      table_of_gradient(Gradients())...};
}

// Refers to every table of the rules, and so instantiates them; on CUDA it
// installs them too.
template <class... Rules>
constexpr auto rule_tables(TypeList<Rules...>) {
  return std::tuple{tables_of_rule<Rules>(typename Rules::Gradients())...};
}

}  // namespace catena::array::CATENA_BACKEND
