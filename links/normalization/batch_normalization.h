#pragma once

#include <cstdint>
#include <optional>

#include "catena/functions/axes.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct BatchNormalizationOptions {
  // How much of the running statistics stays at each call.
  double decay = 0.9;
  double eps = 2e-5;
  // The dtype of parameters and running statistics; defaults to config().dtype.
  std::optional<Dtype> dtype = std::nullopt;
  // Without gamma the scale is 1, without beta the shift is 0.
  bool use_gamma = true;
  bool use_beta = true;
  Initializer initial_gamma = initializers::Constant(1);
  Initializer initial_beta = initializers::Constant(0);
  // The axes the statistics are taken over; defaults to all but the second.
  functions::AxisSet axis = {};
  Initializer initial_avg_mean = initializers::Constant(0);
  Initializer initial_avg_var = initializers::Constant(1);
};

struct BatchNormalizationCallOptions {
  // Makes the running statistics averages over the calls since
  // start_finetuning(), of equal weight.
  bool finetune = false;
};

// Batch normalization (functions/normalization/batch_normalization.h) with its
// parameters and running statistics. In training it normalizes by the batch and
// updates the statistics, in test mode (config().train) it uses those.
class BatchNormalization : public Link {
 public:
  // Without a size, that of x without `axis`, parameters and statistics get
  // theirs at the first call. ValueError for a decay outside [0, 1], a negative
  // eps, or a size that is not positive.
  explicit BatchNormalization(std::optional<Shape> size = std::nullopt,
                              const BatchNormalizationOptions& options = {});
  explicit BatchNormalization(int64_t size,
                              const BatchNormalizationOptions& options = {})
      : BatchNormalization(Shape{size}, options) {}

  // InvalidType when x does not fit.
  Variable forward(const Variable& x,
                   const BatchNormalizationCallOptions& options = {});
  Variable operator()(const Variable& x,
                      const BatchNormalizationCallOptions& options = {}) {
    return call_link(*this, x, options);
  }
  // Starts to count calls anew.
  void start_finetuning() { N = 0; }

  double decay;
  double eps;
  Param gamma;  // absent without use_gamma
  Param beta;   // absent without use_beta
  Persistent avg_mean;
  Persistent avg_var;
  int64_t N = 0;  // calls with finetune

 protected:
  // Gives everything its size, if that has not happened before, and returns
  // the decay of this call.
  void initialize(const Variable& x);
  double decay_of_call(const BatchNormalizationCallOptions& options);
  // gamma and beta, or constants in their place.
  Variable gamma_or_ones() const;
  Variable beta_or_zeros() const;

  functions::AxisSet axis_;

 private:
  void initialize_statistics(const Shape& size);

  Initializer initial_avg_mean_;
  Initializer initial_avg_var_;
  Dtype dtype_;
};

}  // namespace catena::links
