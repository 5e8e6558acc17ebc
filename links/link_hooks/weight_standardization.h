#pragma once

#include <string>

#include "catena/links/link_hooks/weight_hook.h"

namespace catena::link_hooks {

struct WeightStandardizationOptions {
  NamedFieldsOnly keywords = {};
  // Added to the variance.
  double eps = 1e-5;
  std::string weight_name = "W";
};

// Standardizes the weight (out, in, k...) of a link to mean 0 and variance 1
// for each output (Qiao et al., 2019). Throws ValueError when eps is negative
// or the link lacks the weight, ShapeError for a weight with fewer than 2 axes.
class WeightStandardization : public WeightHook {
 public:
  using Options = WeightStandardizationOptions;

  explicit WeightStandardization(
      const WeightStandardizationOptions& options = {});

  std::string_view name() const override { return "WeightStandardization"; }

 private:
  Variable compute_weight(Link& link, const Variable& W) override;

  double eps_;
};

}  // namespace catena::link_hooks
