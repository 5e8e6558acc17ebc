#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct Im2colOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  Spatial pad = 0;
  // Includes a last window that extends beyond the end.
  bool cover_all = false;
  Spatial dilate = 1;
};

// The patches of an image under a sliding window of size ksize, as columns: x
// (N, C, h, w), floating, becomes (N, C * kh * kw, oh, ow), where element c *
// kh * kw + i * kw + j at (u, v) is x[n, c, u * sh + i * dh - ph, v * sw + j *
// dw - pw], or 0 outside x; oh and ow are given by get_conv_outsize. Throws
// InvalidType unless x has four axes and a window fits into the padded image,
// ValueError for sizes out of range.
Variable im2col(const Variable& x, const Spatial& ksize,
                const Im2colOptions& options = {});

}  // namespace catena::functions
