#include "catena/array/axis.h"

#include "catena/array/core/error.h"

namespace catena {

Axes AxisSet::normalized(int ndim, std::string_view operation) const {
  if (axes_) return normalize_axes(*axes_, ndim, operation);
  Axes all;
  for (int i = 0; i < ndim; ++i) all.push_back(i);
  return all;
}

void array::throw_two_axes(std::string_view who) {
  raise<ValueError>(
      who, ": expected the axis as an argument or in the options, got both");
}

}  // namespace catena
