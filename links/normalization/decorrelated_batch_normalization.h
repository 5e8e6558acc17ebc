#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

struct DecorrelatedBatchNormalizationOptions {
  NamedFieldsOnly keywords = {};
  int64_t groups = 16;
  // The decay rate of the running statistics.
  double decay = 0.9;
  double eps = 2e-5;
  // The dtype of the running statistics; defaults to config().dtype.
  std::optional<Dtype> dtype = std::nullopt;
};

// Decorrelated batch normalization
// (functions/normalization/decorrelated_batch_normalization.h) with its running
// statistics. In training mode (config().train) it whitens by the batch's
// statistics and updates the running ones; in test mode it uses the running
// ones.
class DecorrelatedBatchNormalization
    : public Callable<DecorrelatedBatchNormalization> {
 public:
  using Options = DecorrelatedBatchNormalizationOptions;

  // `size` is the number of channels. Throws ValueError unless groups divides
  // it, for a decay outside [0, 1] or a negative eps.
  explicit DecorrelatedBatchNormalization(
      int64_t size, const DecorrelatedBatchNormalizationOptions& options = {});

  // Throws InvalidType or ValueError when x does not match.
  Variable forward(const Variable& x);

  int64_t groups;
  double decay;
  double eps;
  Persistent avg_mean;        // (groups, size / groups)
  Persistent avg_projection;  // (groups, size / groups, size / groups)
  int64_t N = 0;              // as in batch normalization
};

}  // namespace catena::links
