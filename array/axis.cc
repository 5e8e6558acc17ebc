#include "catena/array/axis.h"

namespace catena {

Axes AxisSet::normalized(int ndim, std::string_view operation) const {
  if (axes_) return normalize_axes(*axes_, ndim, operation);
  Axes all;
  for (int i = 0; i < ndim; ++i) all.push_back(i);
  return all;
}

}  // namespace catena
