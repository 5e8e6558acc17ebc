#pragma once

#include <string_view>

#include "catena/array/dtype.h"
#include "catena/array/math.h"

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
  using Element = typename Row::Element;
  const auto max = row.max([](auto x) { return x; });
  const Element number = row.number(max);
  const auto m = row.value(number - number == Element(0) ? number : Element(0));
  const auto sum = row.sum([&](auto x) { return math::exp(x - m); });
  return ShiftedExpSum{max, m, sum};
}

// y = log(sum(exp(x))), of the stored type.
struct LogSumExpOp {
  static constexpr std::string_view kName = "logsumexp";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = false;

  void* y;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto [max, m, sum] = shifted_exp_sum(row);
    row.write(static_cast<typename Row::Stored*>(y) + row.index(),
              row.number(m + math::log(sum)));
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
    row.write(static_cast<Element*>(maxima) + row.index(), row.number(max));
    row.write(static_cast<Element*>(sums) + row.index(), row.number(sum));
  }
};

// gx = exp(x - y) gy.
struct LogSumExpGradient {
  static constexpr std::string_view kName = "gradient of logsumexp";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;

  const void* y;  // both of the stored type
  const void* gy;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    using Stored = typename Row::Stored;
    const auto shift = row.value(
        static_cast<Element>(static_cast<const Stored*>(y)[row.index()]));
    const auto factor = row.value(
        static_cast<Element>(static_cast<const Stored*>(gy)[row.index()]));
    row.store([&](auto x) { return math::exp(x - shift) * factor; });
  }
};

// y = sum(x^2), of the stored type.
struct SquaredNormOp {
  static constexpr std::string_view kName = "batch_l2_norm_squared";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = false;

  void* y;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto s = row.sum([](auto x) { return x * x; });
    row.write(static_cast<typename Row::Stored*>(y) + row.index(),
              row.number(s));
  }
};

using MathRowOps =
    TypeList<LogSumExpOp, LogSumExpPartOp, LogSumExpGradient, SquaredNormOp>;

}  // namespace catena::functions
