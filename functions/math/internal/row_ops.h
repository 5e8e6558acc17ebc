#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"

// The row functors (row_args.h) of logsumexp and batch_l2_norm_squared.
namespace catena::functions {

// The sum of exp(x - m), where m is x's maximum if that is finite, else 0,
// which avoids inf - inf.
template <class Value>
struct ShiftedExpSum {
  Value max;
  Value m;
  Value sum;
};

template <class Row>
CATENA_HOST_DEVICE auto shifted_exp_sum(Row& row) {
  const auto max = row.max([](auto x) { return x; });
  const auto zero = row.value(typename Row::Element(0));
  const auto m = math::select(max - max == zero, max, zero);
  const auto sum = row.sum([&](auto x) { return math::exp(x - m); });
  return ShiftedExpSum<typename Row::Value>{max, m, sum};
}

// y = log(sum(exp(x))), of the stored type.
struct LogSumExpOp {
  static constexpr std::string_view kName = "logsumexp";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = false;
  static constexpr bool kInLanes = true;

  void* y;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto [max, m, sum] = shifted_exp_sum(row);
    row.write(static_cast<typename Row::Stored*>(y), m + math::log(sum));
  }
};

// The same of a part of x: its maximum, and the sum of exp(x - m), of the type
// computed in.
struct LogSumExpPartOp {
  static constexpr std::string_view kName = "part of logsumexp";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = false;

  void* maxima;
  void* sums;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const auto [max, m, sum] = shifted_exp_sum(row);
    row.write(static_cast<Element*>(maxima), max);
    row.write(static_cast<Element*>(sums), sum);
  }
};

// gx = exp(x - y) gy.
struct LogSumExpGradient {
  static constexpr std::string_view kName = "gradient of logsumexp";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;
  static constexpr bool kInLanes = true;

  const void* y;  // both of the stored type
  const void* gy;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Stored = typename Row::Stored;
    const auto shift = row.read(static_cast<const Stored*>(y));
    const auto factor = row.read(static_cast<const Stored*>(gy));
    row.store([&](auto x) { return math::exp(x - shift) * factor; });
  }
};

// y = sum(x^2), of the stored type.
struct SquaredNormOp {
  static constexpr std::string_view kName = "batch_l2_norm_squared";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = false;
  static constexpr bool kInLanes = true;

  void* y;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto s = row.sum([](auto x) { return x * x; });
    row.write(static_cast<typename Row::Stored*>(y), s);
  }
};

using MathRowOps =
    TypeList<LogSumExpOp, LogSumExpPartOp, LogSumExpGradient, SquaredNormOp>;

}  // namespace catena::functions
