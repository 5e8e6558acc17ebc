#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct GroupNormalizationOptions {
  double eps = 1e-5;
  Initializer initial_gamma = initializers::Constant(1);
  Initializer initial_beta = initializers::Constant(0);
};

// Group normalization (functions/normalization/group_normalization.h) with its
// parameters.
class GroupNormalization : public Link {
 public:
  // Without a size, the channels of x, parameters get theirs at the first call.
  // ValueError when a number is not positive.
  explicit GroupNormalization(int64_t groups,
                              std::optional<int64_t> size = std::nullopt,
                              const GroupNormalizationOptions& options = {});

  // x is (N, size, ...). InvalidType when it does not fit, ValueError when
  // groups do not divide the channels.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  int64_t groups;
  double eps;
  Param gamma;
  Param beta;
};

}  // namespace catena::links
