#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

struct InceptionOptions {
  NamedFieldsOnly keywords = {};
  // Initial values of all W, and of all b.
  Initializer conv_init = initializers::LeCunNormal();
  Initializer bias_init = initializers::Constant(0);
};

// The Inception module of GoogLeNet (Szegedy et al., 2014, "Going Deeper with
// Convolutions"). Concatenates four branches: a 1x1 convolution, 3x3 and 5x5
// convolutions after 1x1 projections, and a 1x1 projection after 3x3 max
// pooling; relu follows each convolution.
class Inception : public Chain<Inception> {
 public:
  using Options = InceptionOptions;

  // Channels of x, of the 1x1 convolution, of the 3x3 branch's projection and
  // convolution, of the 5x5 branch's, and of the pooling branch. in_channels
  // defaults to x's at the first call. Throws ValueError when one is not
  // positive.
  Inception(std::optional<int64_t> in_channels, int64_t out1, int64_t proj3,
            int64_t out3, int64_t proj5, int64_t out5, int64_t proj_pool,
            const InceptionOptions& options = {});

  // x is (N, in_channels, h, w), y (N, out1 + out3 + out5 + proj_pool, h, w).
  // Throws InvalidType when shapes do not match.
  Variable forward(const Variable& x);

  Child<Convolution2D> conv1;
  Child<Convolution2D> proj3;
  Child<Convolution2D> conv3;
  Child<Convolution2D> proj5;
  Child<Convolution2D> conv5;
  Child<Convolution2D> projp;
};

}  // namespace catena::links
