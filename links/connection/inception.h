#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

struct InceptionOptions {
  // First values of all W, and of all b.
  Initializer conv_init = initializers::LeCunNormal();
  Initializer bias_init = initializers::Constant(0);
};

// The module of GoogLeNet (Szegedy et al., 2014, "Going Deeper with
// Convolutions"): convolutions of 1x1, of 3x3 and of 5x5, these two behind
// projections to fewer channels, and a projection of the largest of 3x3, side
// by side, each followed by relu.
class Inception : public Chain {
 public:
  // Channels of x, of the 1x1 convolution, of the projection for the 3x3 one
  // and of that, of the same for 5x5, and of the pooled part. Without
  // in_channels it is inferred at the first call. ValueError when a number is
  // not positive.
  Inception(std::optional<int64_t> in_channels, int64_t out1, int64_t proj3,
            int64_t out3, int64_t proj5, int64_t out5, int64_t proj_pool,
            const InceptionOptions& options = {});

  // x is (N, in_channels, h, w), y (N, out1 + out3 + out5 + proj_pool, h, w).
  // InvalidType when shapes do not fit.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  Child<Convolution2D> conv1;
  Child<Convolution2D> proj3;
  Child<Convolution2D> conv3;
  Child<Convolution2D> proj5;
  Child<Convolution2D> conv5;
  Child<Convolution2D> projp;
};

}  // namespace catena::links
