#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/core/named_fields_only.h"
#include "catena/functions/connection/deconvolution_nd.h"
#include "catena/functions/spatial.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

using functions::Spatial;

struct DeconvolutionOptions {
  NamedFieldsOnly keywords = {};  // requires designated initializers
  Spatial stride = 1;
  Spatial pad = 0;
  bool nobias = false;
  Initializer initialW = initializers::LeCunNormal();
  Initializer initial_bias = initializers::Constant(0);
  // The spatial extents of y; defaults to the smallest possible.
  std::optional<Spatial> outsize = std::nullopt;
  Spatial dilate = 1;
  int64_t groups = 1;
};

// A transposed convolution layer with any number of spatial axes
// (functions::deconvolution_nd).
class DeconvolutionND : public Callable<DeconvolutionND> {
 public:
  using Options = DeconvolutionOptions;

  // Without in_channels, W is initialized at the first call from x's shape.
  // Throws ValueError when an argument is out of range or groups does not
  // divide the channels.
  DeconvolutionND(int ndim, std::optional<int64_t> in_channels,
                  int64_t out_channels, const Spatial& ksize,
                  const DeconvolutionOptions& options = {});

  // x is (N, in_channels, d...), y (N, out_channels, e...). Throws InvalidType
  // when shapes do not match.
  Variable forward(const Variable& x);

 protected:
  void visit_filters(const FilterVisitor& visit) override { visit(W); }

 private:
  Shape weight_shape(int64_t in_channels) const;

  // Before W, whose shape they determine.
  int64_t out_channels_;
  Shape ksize_;
  functions::DeconvolutionOptions options_;

 public:
  Param W;  // (in_channels, out_channels / groups, k...)
  Param b;  // (out_channels,); absent with nobias
};

// A transposed convolution layer with 1 spatial axis.
class Deconvolution1D : public DeconvolutionND {
 public:
  Deconvolution1D(std::optional<int64_t> in_channels, int64_t out_channels,
                  const Spatial& ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(1, in_channels, out_channels, ksize, options) {}
};

// A transposed convolution layer with 2 spatial axes.
class Deconvolution2D : public DeconvolutionND {
 public:
  Deconvolution2D(std::optional<int64_t> in_channels, int64_t out_channels,
                  const Spatial& ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(2, in_channels, out_channels, ksize, options) {}
  Deconvolution2D(int64_t out_channels, const Spatial& ksize,
                  const DeconvolutionOptions& options = {})
      : Deconvolution2D(std::nullopt, out_channels, ksize, options) {}
  // So that braces after two numbers are parsed as options.
  Deconvolution2D(int64_t out_channels, int64_t ksize,
                  const DeconvolutionOptions& options = {})
      : Deconvolution2D(std::nullopt, out_channels, ksize, options) {}
};

// A transposed convolution layer with 3 spatial axes.
class Deconvolution3D : public DeconvolutionND {
 public:
  Deconvolution3D(std::optional<int64_t> in_channels, int64_t out_channels,
                  const Spatial& ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(3, in_channels, out_channels, ksize, options) {}
};

}  // namespace catena::links
