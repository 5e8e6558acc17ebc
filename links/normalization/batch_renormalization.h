#pragma once

#include "catena/links/call_link.h"
#include "catena/links/normalization/batch_normalization.h"

namespace catena::links {

struct BatchRenormalizationOptions : BatchNormalizationOptions {
  // Whether training leaves the running statistics unchanged.
  bool freeze_running_statistics = false;
};

// Batch renormalization (functions/normalization/batch_renormalization.h). In
// test mode it is batch normalization with the running statistics.
class BatchRenormalization : public BatchNormalization {
 public:
  using Options = BatchRenormalizationOptions;

  // Throws ValueError as for BatchNormalization, and for rmax below 1 or dmax
  // below 0.
  explicit BatchRenormalization(
      std::optional<Shape> size = std::nullopt, double rmax = 1,
      double dmax = 0, const BatchRenormalizationOptions& options = {});
  explicit BatchRenormalization(int64_t size, double rmax = 1, double dmax = 0,
                                const BatchRenormalizationOptions& options = {})
      : BatchRenormalization(Shape{size}, rmax, dmax, options) {}

  Variable forward(const Variable& x,
                   const BatchNormalizationCallOptions& options = {});
  Variable operator()(const Variable& x,
                      const BatchNormalizationCallOptions& options = {}) {
    return call_link(*this, x, options);
  }

  double rmax;
  double dmax;

 private:
  bool freeze_running_statistics_;
};

}  // namespace catena::links
