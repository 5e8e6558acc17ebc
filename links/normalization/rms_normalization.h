#pragma once

#include <cstdint>
#include <optional>

#include "catena/functions/axes.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct RmsNormalizationOptions {
  NamedFieldsOnly keywords = {};
  double eps = 1e-5;
  Initializer initial_gamma = initializers::Constant(1);
};

// Root mean square normalization (functions/normalization/rms_normalization.h)
// with its factors.
class RmsNormalization : public Link {
 public:
  using Options = RmsNormalizationOptions;

  // `size` is the number of a sample's elements; by default taken from x at the
  // first call. Throws ValueError when it is not positive.
  explicit RmsNormalization(std::optional<int64_t> size = std::nullopt,
                            const RmsNormalizationOptions& options = {});

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
};

}  // namespace catena::links
