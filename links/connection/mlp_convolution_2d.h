#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "catena/array/core/named_fields_only.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/spatial.h"
#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

using functions::Spatial;

struct MLPConvolution2DOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  Spatial pad = 0;
  std::function<Variable(const Variable&)> activation = functions::relu;
  // Initial values of all W, and of all b.
  Initializer conv_init = initializers::LeCunNormal();
  Initializer bias_init = initializers::Constant(0);
};

// A convolution followed by 1x1 convolutions, which amount to a small MLP at
// every position (Lin et al., 2013, "Network in Network"). The activation is
// applied after each but the last.
class MLPConvolution2D : public Callable<MLPConvolution2D, ChainList> {
 public:
  using Options = MLPConvolution2DOptions;

  // The first convolution, with ksize, stride and pad, has out_channels[0]
  // output channels, the next out_channels[1], and so on. Throws ValueError
  // when out_channels is empty or an argument is out of range.
  MLPConvolution2D(std::optional<int64_t> in_channels,
                   const std::vector<int64_t>& out_channels,
                   const Spatial& ksize,
                   const MLPConvolution2DOptions& options = {});

  // x is (N, in_channels, h, w). Throws InvalidType when shapes do not match.
  Variable forward(const Variable& x);

  std::function<Variable(const Variable&)> activation;
};

}  // namespace catena::links
