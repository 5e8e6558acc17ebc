#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct LayerNormalizationOptions {
  double eps = 1e-6;
  Initializer initial_gamma = initializers::Constant(1);
  Initializer initial_beta = initializers::Constant(0);
};

// Layer normalization (functions/normalization/layer_normalization.h) with its
// parameters.
class LayerNormalization : public Link {
 public:
  // Without a size, that of the second axis of x, parameters get theirs at the
  // first call. ValueError when it is not positive.
  explicit LayerNormalization(std::optional<int64_t> size = std::nullopt,
                              const LayerNormalizationOptions& options = {});

  // x is (N, size). InvalidType when it does not fit.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  double eps;
  Param gamma;
  Param beta;
};

}  // namespace catena::links
