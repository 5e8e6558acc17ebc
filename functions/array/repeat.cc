#include "catena/functions/array/repeat.h"

#include <utility>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/manipulation/repeat.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/take.h"
#include "catena/functions/array/flatten.h"
#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Repeat {
  static constexpr std::string_view kLabel = "repeat";
  using Kind = kinds::Repeat;
  std::vector<int64_t> repeats;
  int64_t axis;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("repeats", repeats);
    visit("axis", axis);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    expect_axis(in, x, axis);
  }
  Array map(const Array& x) const { return array::repeat(x, repeats, axis); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    const int a = normalize_axis(axis, x.shape.ndim(), kLabel);
    if (repeats.size() == 1) {
      // Views (..., n r, ...) as (before, n, r, after).
      Shape split{1, x.shape[a], repeats[0], 1};
      for (int i = 0; i < a; ++i) split[0] *= x.shape[i];
      for (int i = a + 1; i < x.shape.ndim(); ++i) split[3] *= x.shape[i];
      return array::sum(gy.reshape(split), {.axis = 2, .dtype = x.dtype})
          .reshape(x.shape);
    }
    const Array gx = array::zeros(x.shape, x.dtype, x.device);
    const Array sources = array::repeat(
        array::arange(x.shape[a], Dtype::kInt64, x.device), repeats);
    array::scatter_add(gx, sources, a, gy, {.mode = array::IndexMode::kClip});
    return gx;
  }
};

}  // namespace

Variable repeat(const Variable& x, std::span<const int64_t> repeats,
                const OptionalAxisOption& options) {
  std::vector<int64_t> counts(repeats.begin(), repeats.end());
  if (!options.axis.has_value()) {
    return apply_linear(flatten(x), Repeat{std::move(counts), 0});
  }
  return apply_linear(x, Repeat{std::move(counts), *options.axis});
}

Variable repeat(const Variable& x, int64_t repeats,
                const OptionalAxisOption& options) {
  return repeat(x, std::span<const int64_t>(&repeats, 1), options);
}

}  // namespace catena::functions
