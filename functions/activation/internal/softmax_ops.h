#pragma once

#include <string_view>

#include "catena/array/dtype.h"
#include "catena/array/math.h"

// The row functors (row_args.h) of softmax and log_softmax, and of their
// gradients. The maximum is subtracted first, so nothing overflows.
namespace catena::functions {

struct SoftmaxOp {
  static constexpr std::string_view kName = "softmax";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;
  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto m = row.max([](auto x) { return x; });
    const auto s = row.store_sum([&](auto x) { return math::exp(x - m); });
    row.update([&](auto y) { return y / s; });
  }
};

// gx = y (gy - sum(y gy)), of y and gy.
struct SoftmaxGradient {
  static constexpr std::string_view kName = "gradient of softmax";
  static constexpr int kInputs = 2;
  static constexpr bool kOutput = true;
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
  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto m = row.max([](auto x) { return x; });
    const auto s = row.sum([&](auto x) { return math::exp(x - m); });
    const auto log_sum = math::log(s);
    row.store([&](auto x) { return x - m - log_sum; });
  }
};

// gx = gy - exp(y) sum(gy), of y and gy.
struct LogSoftmaxGradient {
  static constexpr std::string_view kName = "gradient of log_softmax";
  static constexpr int kInputs = 2;
  static constexpr bool kOutput = true;
  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto s = row.sum([](auto, auto gy) { return gy; });
    row.store([&](auto y, auto gy) { return gy - math::exp(y) * s; });
  }
};

using SoftmaxOps =
    TypeList<SoftmaxOp, SoftmaxGradient, LogSoftmaxOp, LogSoftmaxGradient>;

}  // namespace catena::functions
