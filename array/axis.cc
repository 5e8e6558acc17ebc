#include "catena/array/axis.h"

#include "catena/array/core/error.h"

namespace catena {

Axes AxisSet::normalized(int ndim, std::string_view operation) const {
  if (axes_) return normalize_axes(*axes_, ndim, operation);
  Axes all;
  for (int i = 0; i < ndim; ++i) all.push_back(i);
  return all;
}

void array::check_no_axis(std::string_view who, const AxisSet& axis) {
  if (!axis.is_all()) {
    raise<ValueError>(
        who, ": expected the axis as an argument or in the options, got both");
  }
}

}  // namespace catena
