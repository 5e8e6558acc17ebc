#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

// Pairs of a linear map and its transpose that are both public, such as summing
// windows and spreading over them:
//
//   struct WindowSums {
//     static constexpr std::string_view kLabel = "sums of windows";
//     using Kind = kinds::WindowSums;
//     template <class Visit>
//     void visit_options(Visit visit) const;
//     Array map(const Array& x) const;
//     Array transposed(const Array& y) const;
//   };
namespace catena::functions {

// Adapts the pair to array/internal/linear_map.h, in either direction.
template <class Pair, bool is_transposed>
struct DirectedMap {
  static constexpr std::string_view kLabel = Pair::kLabel;
  using Kind =
      std::conditional_t<is_transposed, kinds::TransposeOf<typename Pair::Kind>,
                         typename Pair::Kind>;
  Pair pair;

  FunctionKind kind() const {
    if constexpr (is_transposed) {
      return FunctionKind::of<Kind>();
    } else {
      return kind_of_map(pair);
    }
  }
  template <class Visit>
  void visit_options(Visit visit) const {
    pair.visit_options(visit);
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const {
    return is_transposed ? pair.transposed(x) : pair.map(x);
  }
  Array transposed(const Array& gy, const ArrayForm&) const {
    return is_transposed ? pair.map(gy) : pair.transposed(gy);
  }
};

template <class Pair>
Variable apply_pair(const Variable& x, Pair pair) {
  return apply_linear(x, DirectedMap<Pair, false>{std::move(pair)});
}
template <class Pair>
Variable apply_transposed(const Variable& y, Pair pair) {
  return apply_linear(y, DirectedMap<Pair, true>{std::move(pair)});
}

}  // namespace catena::functions
