#include "catena/functions/loss/internal/cross_entropy_rows.h"

#include <utility>

#include "catena/array/creation.h"
#include "catena/functions/engines/rows/row_call.h"

namespace catena::functions {
namespace {

void* item_at(const Array& x, int64_t index) {
  return static_cast<char*>(x.raw_data()) + index * item_size(x.dtype());
}

template <class Op>
void write_rows(const Op& op, int axis,
                std::initializer_list<const Array*> inputs, const Array& to) {
  static_assert(Op::kOutput);
  run_rows(kernel_slot<RowFamily, Op>, &op, axis, inputs, &to);
}

}  // namespace

CrossEntropyRows::CrossEntropyRows(CheckedLabels labels, DeviceNumber scale,
                                   Array class_weight, double label_smoothing)
    : labels_(std::move(labels)),
      scale_(std::move(scale)),
      class_weight_(std::move(class_weight)),
      smoothing_(label_smoothing) {}

CrossEntropyFactors CrossEntropyRows::factors(int64_t first) const {
  RowLabels rows = labels_.rows();
  rows.data = item_at(labels_.array(), first);
  return {rows, class_weight_.defined() ? class_weight_.raw_data() : nullptr,
          scale_.factor()};
}

void CrossEntropyRows::compute_losses(const Array& scores, int axis,
                                      int64_t first, const Array& losses) {
  if (!log_sums_.defined()) log_sums_ = array::empty_like(losses);
  void* const losses_at = item_at(losses, first);
  void* const log_sums_at = item_at(log_sums_, first);
  if (smoothing_ == 0) {
    visit_rows(CrossEntropyOp{factors(first), losses_at, log_sums_at}, axis,
               {&scores});
    return;
  }
  if (!all_weights_.defined()) {
    all_weights_ = class_weight_.defined()
                       ? class_weight_
                       : array::ones({scores.shape()[axis]}, scores.dtype(),
                                     scores.device());
  }
  visit_rows(
      SmoothedCrossEntropyOp{
          {factors(first), smoothing_}, losses_at, log_sums_at},
      axis, {&scores, &all_weights_});
}

void CrossEntropyRows::compute_gradient(const Array& scores, int axis,
                                        int64_t first, const Array& gy,
                                        const Array& to) const {
  const int64_t step = gy.ndim() == 0 ? 0 : 1;
  const void* const gy_at = item_at(gy, first * step);
  const void* const log_sums_at = item_at(log_sums_, first);
  if (smoothing_ == 0) {
    write_rows(CrossEntropyGradient{factors(first), log_sums_at, gy_at, step},
               axis, {&scores}, to);
    return;
  }
  write_rows(
      SmoothedCrossEntropyGradient{
          {factors(first), smoothing_}, log_sums_at, gy_at, step},
      axis, {&scores, &all_weights_}, to);
}

}  // namespace catena::functions
