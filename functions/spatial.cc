#include "catena/functions/spatial.h"

#include <limits>

#include "catena/array/core/error.h"

namespace catena::functions {

Shape Spatial::on_axes(int ndim, int64_t min, std::string_view function,
                       std::string_view argument) const {
  const bool is_common = sizes_.size() == 1;
  if (!is_common && sizes_.size() != ndim) {
    raise<ValueError>(function, ": expected one number as ", argument,
                      " or one for each of ", ndim, " spatial axes, got ",
                      sizes_);
  }
  // Larger sizes fit no image, and their products would overflow.
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  for (const int64_t size : sizes_) {
    if (size < min) {
      raise<ValueError>(function, ": expected ", argument, " of at least ", min,
                        ", got ", sizes_);
    }
    if (size > kMax) {
      raise<ValueError>(function, ": expected ", argument, " of at most ", kMax,
                        ", got ", sizes_);
    }
  }
  return is_common ? Shape::filled(ndim, sizes_[0]) : sizes_;
}

int64_t get_conv_outsize(int64_t size, int64_t k, int64_t s, int64_t p,
                         bool cover_all, int64_t d) {
  int64_t room = size + 2 * p - d * (k - 1) - 1;
  if (cover_all) room += s - 1;
  // Rounds down, also for negative values.
  const int64_t steps = room >= 0 ? room / s : -((s - 1 - room) / s);
  return steps + 1;
}

int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p,
                           bool cover_all, int64_t d) {
  const int64_t full = s * (size - 1) + d * (k - 1) + 1 - 2 * p;
  return cover_all ? full - (s - 1) : full;
}

}  // namespace catena::functions
