#include "catena/array/reduction/reduction.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>

namespace catena::array {
namespace {

// The sort key of axes: large strides first, broadcast axes before all.
template <class Axis>
int64_t distance(const Axis& axis) {
  return axis.in_stride == 0 ? std::numeric_limits<int64_t>::max()
                             : std::abs(axis.in_stride);
}

bool continues(const ReduceArgs::Kept& outer, const ReduceArgs::Kept& inner) {
  return outer.in_stride == inner.in_stride * inner.extent &&
         outer.out_stride == inner.out_stride * inner.extent;
}

bool continues(const ReduceArgs::Reduced& outer,
               const ReduceArgs::Reduced& inner) {
  return outer.in_stride == inner.in_stride * inner.extent;
}

// Sorts the axes and merges neighbours; returns the number left.
template <class Axis>
int fold_axes(std::span<Axis> axes) {
  if (axes.empty()) return 0;
  for (size_t i = 1; i < axes.size(); ++i) {
    for (size_t j = i; j > 0 && distance(axes[j - 1]) < distance(axes[j]);
         --j) {
      std::swap(axes[j - 1], axes[j]);
    }
  }
  size_t last = 0;
  for (size_t i = 1; i < axes.size(); ++i) {
    if (continues(axes[last], axes[i])) {
      const int64_t outer_extent = axes[last].extent;
      axes[last] = axes[i];
      axes[last].extent *= outer_extent;
    } else {
      axes[++last] = axes[i];
    }
  }
  return static_cast<int>(last) + 1;
}

}  // namespace

void plan_reduction(const Array& input, const Axes& axes, const Array& output,
                    bool ordered, ReduceArgs& args) {
  args.device = input.device();
  args.input = input.raw_data();
  args.output = output.raw_data();
  args.outputs = output.size();
  args.count = 1;
  args.nkept = args.nreduced = 0;
  int64_t out_stride = output.itemsize();
  int reduced = axes.size() - 1;
  for (int axis = input.ndim() - 1; axis >= 0; --axis) {
    const int64_t extent = input.shape()[axis];
    int64_t stride = input.strides()[axis];
    const bool is_reduced = reduced >= 0 && axes[reduced] == axis;
    if (is_reduced) {
      --reduced;
      args.count *= extent;
    }
    if (extent == 1) continue;
    if (!is_reduced) {
      args.kept[args.nkept++] = {extent, stride, out_stride};
      out_stride *= extent;
      continue;
    }
    if (stride < 0 && !ordered && extent > 0) {
      args.input += (extent - 1) * stride;
      stride = -stride;
    }
    args.reduced[args.nreduced++] = {extent, stride};
  }
  std::reverse(args.kept, args.kept + args.nkept);
  std::reverse(args.reduced, args.reduced + args.nreduced);
  if (args.nkept == 0) args.kept[args.nkept++] = {1, 0, 0};
  if (args.nreduced == 0) args.reduced[args.nreduced++] = {1, 0};
  args.nkept = fold_axes(std::span(args.kept, args.nkept));
  args.nreduced = fold_axes(std::span(args.reduced, args.nreduced));
}

}  // namespace catena::array
