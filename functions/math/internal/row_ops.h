#pragma once

#include <string_view>

#include "catena/array/dtype.h"
#include "catena/array/math.h"

// The row functors (row_args.h) of logsumexp and batch_l2_norm_squared.
namespace catena::functions {

// y = log(sum(exp(x))), of the stored type.
struct LogSumExpOp {
  static constexpr std::string_view kName = "logsumexp";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = false;

  void* y;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const Element max = row.number(row.max([](auto x) { return x; }));
    // Avoids inf - inf.
    const auto m = row.value(max - max == Element(0) ? max : Element(0));
    const auto s = row.sum([&](auto x) { return math::exp(x - m); });
    row.write(static_cast<typename Row::Stored*>(y) + row.index(),
              row.number(m + math::log(s)));
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

using MathRowOps = TypeList<LogSumExpOp, LogSumExpGradient, SquaredNormOp>;

}  // namespace catena::functions
