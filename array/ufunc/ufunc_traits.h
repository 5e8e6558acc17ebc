#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "catena/array/array.h"
#include "catena/array/elementwise.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/kernels/ufunc_table.h"

// What a call of a ufunc needs to know, derived from its row in the table.
namespace catena::array {

inline constexpr int kMaxUfuncInputs = 3;
inline constexpr int kMaxUfuncOutputs = 2;

using OperandList = std::span<const Operand* const>;

// The dtype of an argument: fixed, or the dtype computed in.
class ArgumentDtype {
 public:
  constexpr ArgumentDtype() = default;
  explicit constexpr ArgumentDtype(Dtype fixed)
      : fixed_(static_cast<int8_t>(fixed)) {}

  constexpr bool is_fixed() const { return fixed_ >= 0; }
  constexpr Dtype resolve(Dtype computed) const {
    return is_fixed() ? static_cast<Dtype>(fixed_) : computed;
  }

 private:
  int8_t fixed_ = -1;
};

struct UfuncTraits {
  const KernelSlot<ElementwiseTable>* slot;
  DtypeRule rule;
  int nin;
  int nout;
  std::array<ArgumentDtype, kMaxUfuncInputs> inputs;
  std::array<ArgumentDtype, kMaxUfuncOutputs> outputs;
  // Throws for invalid operands whose dtypes are fine; usually null.
  void (*check)(OperandList operands);
  const void* op;  // the functor
};

// Writes the ufunc of the operands to `results`. Undefined results are set to
// new arrays.
void call_ufunc(const UfuncTraits& ufunc, OperandList operands,
                std::span<Array> results,
                std::optional<Dtype> dtype = std::nullopt);

namespace internal {

// An argument whose type is the same for two choices of T does not depend on T.
template <class T, class U>
constexpr ArgumentDtype argument_dtype() {
  if constexpr (std::is_same_v<T, U>) {
    return ArgumentDtype(dtype_of<T>);
  } else {
    return ArgumentDtype();
  }
}

template <size_t n, class... Ts, class... Us>
constexpr std::array<ArgumentDtype, n> argument_dtypes(TypeList<Ts...>,
                                                       TypeList<Us...>) {
  return {argument_dtype<Ts, Us>()...};
}

template <class... Ts>
constexpr int count(TypeList<Ts...>) {
  return sizeof...(Ts);
}

template <class Op>
inline constexpr Op kFunctor{};

}  // namespace internal

template <class Row>
constexpr UfuncTraits ufunc_traits(void (*check)(OperandList) = nullptr) {
  using In = typename Row::template In<float>;
  using OtherIn = typename Row::template In<double>;
  using Out = typename Row::template Out<float>;
  using OtherOut = typename Row::template Out<double>;
  return {&kernel_slot<UfuncFamily, typename Row::Op>,
          Row::kRule,
          internal::count(In()),
          internal::count(Out()),
          internal::argument_dtypes<kMaxUfuncInputs>(In(), OtherIn()),
          internal::argument_dtypes<kMaxUfuncOutputs>(Out(), OtherOut()),
          check,
          &internal::kFunctor<typename Row::Op>};
}

}  // namespace catena::array
