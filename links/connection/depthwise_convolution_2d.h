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

struct DepthwiseConvolution2DOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  Spatial pad = 0;
  bool nobias = false;
  Initializer initialW = initializers::LeCunNormal();
  Initializer initial_bias = initializers::Constant(0);
};

// A 2-D convolution layer that convolves each channel separately
// (functions::depthwise_convolution_2d).
class DepthwiseConvolution2D : public Callable<DepthwiseConvolution2D> {
 public:
  using Options = DepthwiseConvolution2DOptions;

  // Without in_channels, parameters are initialized at the first call from x's
  // shape. Throws ValueError when an argument is out of range.
  DepthwiseConvolution2D(std::optional<int64_t> in_channels,
                         int64_t channel_multiplier, const Spatial& ksize,
                         const DepthwiseConvolution2DOptions& options = {});

  // x is (N, in_channels, h, w), y (N, in_channels * channel_multiplier, oh,
  // ow). Throws InvalidType when shapes do not match.
  Variable forward(const Variable& x);

  Param W;  // (channel_multiplier, in_channels, kh, kw)
  Param b;  // (in_channels * channel_multiplier,); absent with nobias

 private:
  int64_t channel_multiplier_;
  Shape ksize_;
  Spatial stride_;
  Spatial pad_;
};

}  // namespace catena::links
