#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/core/named_fields_only.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/spatial.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

using functions::Spatial;

struct ConvolutionOptions {
  NamedFieldsOnly keywords = {};  // requires designated initializers
  Spatial stride = 1;
  Spatial pad = 0;
  bool nobias = false;
  Initializer initialW = initializers::LeCunNormal();
  Initializer initial_bias = initializers::Constant(0);
  bool cover_all = false;
  Spatial dilate = 1;
  int64_t groups = 1;
};

// A convolution layer with any number of spatial axes, y = W * x + b
// (functions::convolution_nd).
class ConvolutionND : public Callable<ConvolutionND> {
 public:
  using Options = ConvolutionOptions;

  // Without in_channels, W is initialized at the first call from x's shape.
  // Throws ValueError when an argument is out of range or groups does not
  // divide the channels.
  ConvolutionND(int ndim, std::optional<int64_t> in_channels,
                int64_t out_channels, const Spatial& ksize,
                const ConvolutionOptions& options = {});

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
  functions::ConvolutionOptions options_;

 public:
  Param W;  // (out_channels, in_channels / groups, k...)
  Param b;  // (out_channels,); absent with nobias
};

// A convolution layer with 1 spatial axis.
class Convolution1D : public ConvolutionND {
 public:
  Convolution1D(std::optional<int64_t> in_channels, int64_t out_channels,
                const Spatial& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(1, in_channels, out_channels, ksize, options) {}
};

// A convolution layer with 2 spatial axes.
class Convolution2D : public ConvolutionND {
 public:
  Convolution2D(std::optional<int64_t> in_channels, int64_t out_channels,
                const Spatial& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(2, in_channels, out_channels, ksize, options) {}
  Convolution2D(int64_t out_channels, const Spatial& ksize,
                const ConvolutionOptions& options = {})
      : Convolution2D(std::nullopt, out_channels, ksize, options) {}
  // So that braces after two numbers are parsed as options.
  Convolution2D(int64_t out_channels, int64_t ksize,
                const ConvolutionOptions& options = {})
      : Convolution2D(std::nullopt, out_channels, ksize, options) {}
};

// A convolution layer with 3 spatial axes.
class Convolution3D : public ConvolutionND {
 public:
  Convolution3D(std::optional<int64_t> in_channels, int64_t out_channels,
                const Spatial& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(3, in_channels, out_channels, ksize, options) {}
};

// Convolution2D under its name from Chainer 1, where only this link had
// `dilate`.
class DilatedConvolution2D : public Convolution2D {
 public:
  using Convolution2D::Convolution2D;
};

}  // namespace catena::links
