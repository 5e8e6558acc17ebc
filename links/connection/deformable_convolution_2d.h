#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/core/named_fields_only.h"
#include "catena/functions/spatial.h"
#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

using functions::Spatial;

// The part of DeformableConvolution2D that convolves, with the offsets as an
// argument.
class DeformableConvolution2DSampler
    : public Callable<DeformableConvolution2DSampler> {
 public:
  using Options = ConvolutionOptions;

  // Uses only the options stride, pad, nobias, initialW and initial_bias.
  DeformableConvolution2DSampler(std::optional<int64_t> in_channels,
                                 int64_t out_channels, const Spatial& ksize,
                                 const ConvolutionOptions& options = {});

  // See functions::deformable_convolution_2d_sampler.
  Variable forward(const Variable& x, const Variable& offset);

  Param W;  // (out_channels, in_channels, kh, kw)
  Param b;  // (out_channels,); absent with nobias

 private:
  int64_t out_channels_;
  Shape ksize_;
  Spatial stride_;
  Spatial pad_;
};

struct DeformableConvolution2DOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  Spatial pad = 0;
  bool offset_nobias = false;
  Initializer offset_initialW = initializers::LeCunNormal();
  Initializer offset_initial_bias = initializers::Constant(0);
  bool deform_nobias = false;
  Initializer deform_initialW = initializers::LeCunNormal();
  Initializer deform_initial_bias = initializers::Constant(0);
};

// A 2-D convolution layer that samples its input at offsets computed by another
// convolution of the same input (Dai et al., 2017, "Deformable Convolutional
// Networks").
class DeformableConvolution2D : public Chain<DeformableConvolution2D> {
 public:
  using Options = DeformableConvolution2DOptions;

  // Without in_channels, parameters are initialized at the first call from x's
  // shape. Throws ValueError when an argument is out of range.
  DeformableConvolution2D(std::optional<int64_t> in_channels,
                          int64_t out_channels, const Spatial& ksize,
                          const DeformableConvolution2DOptions& options = {});

  // x is (N, in_channels, h, w), y (N, out_channels, oh, ow). Throws
  // InvalidType when shapes do not match.
  Variable forward(const Variable& x);

  Child<Convolution2D> offset_conv;
  Child<DeformableConvolution2DSampler> deform_conv;
};

}  // namespace catena::links
