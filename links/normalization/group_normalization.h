#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct GroupNormalizationOptions {
  NamedFieldsOnly keywords = {};
  double eps = 1e-5;
  Initializer initial_gamma = initializers::Constant(1);
  Initializer initial_beta = initializers::Constant(0);
};

// Group normalization (functions/normalization/group_normalization.h) with its
// parameters.
class GroupNormalization : public Callable<GroupNormalization> {
 public:
  using Options = GroupNormalizationOptions;

  // `size` is the number of channels; by default taken from x at the first
  // call. Throws ValueError when an argument is not positive.
  explicit GroupNormalization(int64_t groups,
                              std::optional<int64_t> size = std::nullopt,
                              const GroupNormalizationOptions& options = {});

  // x is (N, size, ...). Throws InvalidType when x does not match, ValueError
  // when groups does not divide the channels.
  Variable forward(const Variable& x);

  int64_t groups;
  double eps;
  Param gamma;
  Param beta;
};

}  // namespace catena::links
