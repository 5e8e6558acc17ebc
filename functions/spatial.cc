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

namespace {

// For sums of sizes and products of two.
using Wide = __int128;

void check_steps(int64_t k, int64_t s, int64_t d, std::string_view function) {
  if (k < 1 || s < 1 || d < 1) {
    raise<ValueError>(function, ": expected k, s and d of at least 1, got ", k,
                      ", ", s, " and ", d);
  }
}

int64_t checked_outsize(Wide size, std::string_view function) {
  const auto result = static_cast<int64_t>(size);
  if (result != size) {
    raise<ValueError>(function, ": the size is too large for int64");
  }
  return result;
}

}  // namespace

int64_t get_conv_outsize(int64_t size, int64_t k, int64_t s, int64_t p,
                         bool cover_all, int64_t d) {
  check_steps(k, s, d, "get_conv_outsize");
  Wide room = Wide{size} + 2 * Wide{p} - Wide{d} * (k - 1) - 1;
  if (cover_all) room += s - 1;
  // Rounds down, also for negative values.
  const Wide steps = room >= 0 ? room / s : -((s - 1 - room) / s);
  return checked_outsize(steps + 1, "get_conv_outsize");
}

int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p,
                           bool cover_all, int64_t d) {
  check_steps(k, s, d, "get_deconv_outsize");
  const Wide full =
      Wide{s} * (Wide{size} - 1) + Wide{d} * (k - 1) + 1 - 2 * Wide{p};
  return checked_outsize(cover_all ? full - (s - 1) : full,
                         "get_deconv_outsize");
}

}  // namespace catena::functions
