#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/core/named_fields_only.h"
#include "catena/functions/spatial.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

using functions::Spatial;

struct LocalConvolution2DOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  bool nobias = false;
  Initializer initialW = initializers::LeCunNormal();
  Initializer initial_bias = initializers::Constant(0);
};

// A 2-D convolution layer with unshared weights, different at each output
// position (functions::local_convolution_2d).
class LocalConvolution2D : public Callable<LocalConvolution2D> {
 public:
  using Options = LocalConvolution2DOptions;

  // in_size is the height and width of x. Without it or in_channels, parameters
  // are initialized at the first call from x's shape. Throws ValueError when an
  // argument is out of range or in_size is smaller than the window.
  LocalConvolution2D(std::optional<int64_t> in_channels, int64_t out_channels,
                     std::optional<Spatial> in_size, const Spatial& ksize,
                     const LocalConvolution2DOptions& options = {});

  // x is (N, in_channels, h, w), y (N, out_channels, oh, ow). Throws
  // InvalidType when shapes do not match.
  Variable forward(const Variable& x);

  Param W;  // (out_channels, oh, ow, in_channels, kh, kw)
  Param b;  // (out_channels, oh, ow); absent with nobias

 private:
  int64_t out_channels_;
  Shape ksize_;
  Spatial stride_;
};

}  // namespace catena::links
