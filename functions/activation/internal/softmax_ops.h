#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/rows/row_exp.h"

// The row functors (row_args.h) of softmax and log_softmax, and of their
// gradients. The maximum is subtracted first, so nothing overflows.
namespace catena::functions {

struct SoftmaxOp {
  static constexpr std::string_view kName = "softmax";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;
  static constexpr bool kInLanes = true;
  static constexpr bool kUpdates = true;
  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto one = row.value(typename Row::Element(1));
    // The scale of the exponentials cancels out.
    if (row.is_long()) {
      const auto of_row = exp_sum(row);
      const ShiftedExp exp(of_row.max);
      const auto inverse = one / of_row.sum;
      row.store([&](auto x) { return exp.scaled(x) * inverse; });
    } else {
      const ShiftedExp exp(row.max([](auto x) { return x; }));
      const auto inverse =
          one / row.store_sum([&](auto x) { return exp.scaled(x); });
      row.update([&](auto y) { return y * inverse; });
    }
  }
};

// gx = y (gy - sum(y gy)), of y and gy.
struct SoftmaxGradient {
  static constexpr std::string_view kName = "gradient of softmax";
  static constexpr int kInputs = 2;
  static constexpr bool kOutput = true;
  static constexpr bool kInLanes = true;
  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto s = row.sum([](auto y, auto gy) { return y * gy; });
    row.store([&](auto y, auto gy) { return y * (gy - s); });
  }
};

struct LogSoftmaxOp {
  static constexpr std::string_view kName = "log_softmax";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;
  static constexpr bool kInLanes = true;
  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto of_row = exp_sum(row);
    const ShiftedExp exp(of_row.max);
    const auto log_sum = math::log(exp.unscaled(of_row.sum)) - exp.offset();
    row.store([&](auto x) { return x - of_row.max - log_sum; });
  }
};

// gx = gy - exp(y) sum(gy), of y and gy.
struct LogSoftmaxGradient {
  static constexpr std::string_view kName = "gradient of log_softmax";
  static constexpr int kInputs = 2;
  static constexpr bool kOutput = true;
  static constexpr bool kInLanes = true;
  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto s = row.sum([](auto, auto gy) { return gy; });
    const ShiftedExp exp(row.value(typename Row::Element(0)));
    row.store([&](auto y, auto gy) { return gy - exp(y) * s; });
  }
};

using SoftmaxOps =
    TypeList<SoftmaxOp, SoftmaxGradient, LogSoftmaxOp, LogSoftmaxGradient>;

}  // namespace catena::functions
