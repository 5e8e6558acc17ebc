#pragma once

#include <cstdint>

#include "catena/array/array.h"
#include "catena/functions/loss/internal/device_number.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/softmax_cross_entropy_ops.h"

namespace catena::functions {

// The cross entropies of softmax(scores) with labels, for all rows of scores at
// once or for some after others.
class CrossEntropyRows {
 public:
  CrossEntropyRows() = default;
  // Losses and gradients are multiplied by the scale. The weights of classes
  // have the scores' dtype and are contiguous; undefined for ones.
  CrossEntropyRows(CheckedLabels labels, DeviceNumber scale, Array class_weight,
                   double label_smoothing);

  const CheckedLabels& labels() const { return labels_; }
  const DeviceNumber& scale() const { return scale_; }

  // Writes the losses of the rows along `axis` of the scores, the first of
  // which has label number `first`, to their places among those of all rows, in
  // the dtype computed in.
  void compute_losses(const Array& scores, int axis, int64_t first,
                      const Array& losses);
  // Writes the gradient of these scores to `to`, which may be the scores
  // themselves. gy is contiguous, with a number for each row of all, or one.
  void compute_gradient(const Array& scores, int axis, int64_t first,
                        const Array& gy, const Array& to) const;

 private:
  CrossEntropyFactors factors(int64_t first) const;

  CheckedLabels labels_;
  DeviceNumber scale_;
  Array class_weight_;
  double smoothing_ = 0;
  Array all_weights_;  // of the classes, with label smoothing
  Array log_sums_;     // of the exponentials of each row
};

}  // namespace catena::functions
