#pragma once

#include <cstdint>
#include <optional>

#include "catena/functions/axes.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct LayerNormalizationOptions {
  NamedFieldsOnly keywords = {};
  double eps = 1e-6;
  Initializer initial_gamma = initializers::Constant(1);
  Initializer initial_beta = initializers::Constant(0);
};

// Layer normalization (functions/normalization/layer_normalization.h) with its
// parameters.
class LayerNormalization : public Link {
 public:
  using Options = LayerNormalizationOptions;

  // `size` is the number of a sample's elements; by default taken from x at the
  // first call. Throws ValueError when it is not positive.
  explicit LayerNormalization(std::optional<int64_t> size = std::nullopt,
                              const LayerNormalizationOptions& options = {});

  // x is (N, size), or with {.n_batch_axes = 2} (N, M, size); a sample's axes
  // may be several. Throws InvalidType when x does not match.
  Variable forward(const Variable& x,
                   const functions::BatchAxesOption& options = {});
  Variable operator()(const Variable& x,
                      const functions::BatchAxesOption& options = {}) {
    return call_link(*this, x, options);
  }

  double eps;
  Param gamma;
  Param beta;
};

}  // namespace catena::links
