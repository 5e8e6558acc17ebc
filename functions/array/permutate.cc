#include "catena/functions/array/permutate.h"

#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/take.h"
#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

// Throws ValueError unless the indices are a permutation.
void check_permutation(const Array& indices) {
  const int64_t count = indices.size();
  if (count == 0) return;
  const auto min = array::min(indices).item<int64_t>();
  const auto max = array::max(indices).item<int64_t>();
  if (min < 0 || max >= count) {
    raise<ValueError>("permutate: expected indices from 0 to ", count - 1,
                      ", got ", min < 0 ? min : max);
  }
  const Array hit = array::zeros({count}, Dtype::kBool, indices.device());
  array::scatter_update(hit, indices, 0, true);
  if (!array::all(hit).item<bool>()) {
    raise<ValueError>("permutate: expected each of the indices from 0 to ",
                      count - 1, " once, but ",
                      array::argmin(hit).item<int64_t>(), " is missing");
  }
}

struct Permutate {
  static constexpr std::string_view kLabel = "permutate";
  using Kind = kinds::Permutate;
  Array indices;
  int64_t axis;
  bool inv;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("indices", indices);
    visit("axis", axis);
    visit("inv", inv);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    expect_axis(in, x, axis);
    in.expect(x.shape(static_cast<int>(axis)) ==
              type_check::make_variable(indices.size(), "indices.size"));
    check_permutation(indices);
  }
  Array map(const Array& x) const { return inv ? spread(x) : collect(x); }
  Array transposed(const Array& gy, const ArrayForm&) const {
    return inv ? collect(gy) : spread(gy);
  }

 private:
  Array collect(const Array& x) const {
    return array::take(x, indices,
                       {.axis = axis, .mode = array::IndexMode::kClip});
  }
  Array spread(const Array& x) const {
    const Array y = array::empty_like(x);
    array::scatter_update(y, indices, axis, x,
                          {.mode = array::IndexMode::kClip});
    return y;
  }
};

}  // namespace

Variable permutate(const Variable& x, const Array& indices,
                   const PermutateOptions& options) {
  if (indices.ndim() != 1 || !is_integral(indices.dtype())) {
    raise<InvalidType>("permutate: expected integer indices (n,), got ",
                       indices.dtype(), " ", indices.shape());
  }
  return apply_linear(x, Permutate{indices, options.axis, options.inv});
}

}  // namespace catena::functions
