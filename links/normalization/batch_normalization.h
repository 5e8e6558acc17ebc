#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/axis.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct BatchNormalizationOptions {
  NamedFieldsOnly keywords = {};
  // The decay rate of the running statistics.
  double decay = 0.9;
  double eps = 2e-5;
  // The dtype of parameters and running statistics; defaults to config().dtype.
  std::optional<Dtype> dtype = std::nullopt;
  // Whether to learn the scale gamma (else 1) and the shift beta (else 0).
  bool use_gamma = true;
  bool use_beta = true;
  Initializer initial_gamma = initializers::Constant(1);
  Initializer initial_beta = initializers::Constant(0);
  // The axes that statistics are computed over; defaults to all but the second.
  AxisSet axis = {};
  Initializer initial_avg_mean = initializers::Constant(0);
  Initializer initial_avg_var = initializers::Constant(1);
};

struct BatchNormalizationCallOptions {
  NamedFieldsOnly keywords = {};
  // Makes the running statistics plain averages over the calls since
  // start_finetuning().
  bool finetune = false;
  // Added to the result, if defined, and whether relu follows: in training
  // without passes of their own over memory.
  Variable residual = {};
  bool relu = false;
};

// Batch normalization (functions/normalization/batch_normalization.h) with its
// parameters and running statistics. In training mode (config().train) it
// normalizes by the batch's statistics and updates the running ones; in test
// mode it uses the running ones.
class BatchNormalization : public Link {
 public:
  using Options = BatchNormalizationOptions;

  // `size` is x's shape without `axis`; by default taken from x at the first
  // call. Throws ValueError for a decay outside [0, 1], a negative eps, or a
  // size that is not positive.
  explicit BatchNormalization(std::optional<Shape> size = std::nullopt,
                              const BatchNormalizationOptions& options = {});
  explicit BatchNormalization(int64_t size,
                              const BatchNormalizationOptions& options = {})
      : BatchNormalization(Shape{size}, options) {}

  // Throws InvalidType when x does not match.
  Variable forward(const Variable& x,
                   const BatchNormalizationCallOptions& options = {});
  Variable operator()(const Variable& x,
                      const BatchNormalizationCallOptions& options = {}) {
    return call_link(*this, x, options);
  }
  // Restarts the count of calls.
  void start_finetuning() { N = 0; }

  double decay;
  double eps;
  Param gamma;  // absent without use_gamma
  Param beta;   // absent without use_beta
  Persistent avg_mean;
  Persistent avg_var;
  int64_t N = 0;  // number of calls with finetune

 protected:
  // Initializes parameters and statistics if necessary, and returns the decay
  // of this call.
  void initialize(const Variable& x);
  double decay_of_call(const BatchNormalizationCallOptions& options);
  // gamma and beta, or ones and zeros in their place.
  Variable gamma_or_ones() const;
  Variable beta_or_zeros() const;
  // Adds the residual and applies relu, as functions of their own.
  static Variable finish(const Variable& y,
                         const BatchNormalizationCallOptions& options);

  AxisSet axis_;

 private:
  void initialize_statistics(const Shape& size);

  Initializer initial_avg_mean_;
  Initializer initial_avg_var_;
  Dtype dtype_;
};

}  // namespace catena::links
