#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "catena/functions/activation/relu.h"
#include "catena/functions/spatial.h"
#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/named_fields_only.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

using functions::Spatial;

struct MLPConvolution2DOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  Spatial pad = 0;
  std::function<Variable(const Variable&)> activation = functions::relu;
  // First values of all W, and of all b.
  Initializer conv_init = initializers::LeCunNormal();
  Initializer bias_init = initializers::Constant(0);
};

// A convolution followed by 1x1 convolutions, a small network that sees every
// place, with the activation between them (Lin et al., 2013, "Network in
// Network"). There is none after the last.
class MLPConvolution2D : public ChainList {
 public:
  // The first convolution, of ksize, stride and pad, gives out_channels[0]
  // channels, the next out_channels[1], and so on. ValueError without any, or
  // when a number is out of range.
  MLPConvolution2D(std::optional<int64_t> in_channels,
                   const std::vector<int64_t>& out_channels,
                   const Spatial& ksize,
                   const MLPConvolution2DOptions& options = {});

  // x is (N, in_channels, h, w). InvalidType when shapes do not fit.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  std::function<Variable(const Variable&)> activation;
};

}  // namespace catena::links
