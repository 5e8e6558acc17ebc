#include "catena/tests/numbers/layouts.h"

#include <cstdlib>
#include <vector>

#include "catena/array/index.h"

namespace catena::testing {
namespace {

// In larger memory: every step-th element of each axis after `before` others,
// from the end if the step is negative. Only the last axis if not `all_axes`.
Array spread(const Array& a, int64_t step, int64_t before,
             bool all_axes = true) {
  Shape shape = a.shape();
  std::vector<Index> part;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    if (!all_axes && axis != a.ndim() - 1) {
      part.push_back(Slice());
      continue;
    }
    const int64_t extent = shape[axis];
    const int64_t distance = std::abs(step);
    shape[axis] = before + extent * distance;
    const int64_t last = before + (extent - 1) * distance;
    if (extent == 0) {
      part.push_back(Slice(0, 0));
    } else if (step > 0) {
      part.push_back(Slice(before, last + 1, step));
    } else {
      part.push_back(Slice(
          last, before > 0 ? std::optional(before - 1) : std::nullopt, step));
    }
  }
  const Array memory = array::empty(shape, a.dtype(), a.device());
  // What is between the elements would be noticed in a result.
  memory.fill(a.dtype() == Dtype::kBool ? Scalar(true) : Scalar(77));
  const Array view = array::basic_index(memory, part);
  view.assign(a);
  return view;
}

constexpr Layout kLayouts[] = {
    {"contiguous", [](const Array& a) { return a.copy(); }},
    {"reversed", [](const Array& a) { return spread(a, -1, 0); }},
    {"reversed last axis",
     [](const Array& a) { return spread(a, -1, 1, false); }},
    {"every second", [](const Array& a) { return spread(a, 2, 1); }},
    {"every third, reversed", [](const Array& a) { return spread(a, -3, 0); }},
    {"Fortran order",
     [](const Array& a) { return a.transpose().copy().transpose(); }},
    {"not at the start", [](const Array& a) { return spread(a, 1, 1, false); }},
};

}  // namespace

std::span<const Layout> every_layout() { return kLayouts; }

}  // namespace catena::testing
