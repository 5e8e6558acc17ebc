#include "catena/functions/array/internal/pixel_blocks.h"

#include "catena/array/core/error.h"

namespace catena::functions {

Array blocks_from_channels(const Array& x, int64_t r) {
  const Shape& s = x.shape();
  const int64_t channels = s[1] / (r * r);
  return x.reshape({s[0], r, r, channels, s[2], s[3]})
      .transpose({0, 3, 4, 1, 5, 2})
      .reshape({s[0], channels, s[2] * r, s[3] * r});
}

Array channels_from_blocks(const Array& x, int64_t r) {
  const Shape& s = x.shape();
  return x.reshape({s[0], s[1], s[2] / r, r, s[3] / r, r})
      .transpose({0, 3, 5, 1, 2, 4})
      .reshape({s[0], s[1] * r * r, s[2] / r, s[3] / r});
}

void check_block(std::string_view label, int64_t r) {
  if (r < 1) {
    raise<ValueError>(label, ": expected a positive r, got ", r);
  }
}

}  // namespace catena::functions
