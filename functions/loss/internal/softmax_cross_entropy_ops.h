#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/dtype.h"
#include "catena/array/math.h"
#include "catena/functions/engines/rows/row_exp.h"
#include "catena/functions/loss/internal/row_labels.h"
#include "catena/functions/loss/internal/scale_factor.h"

// The row functors (row_args.h) of softmax_cross_entropy: one pass over
// the scores forward, one backward.
namespace catena::functions {

// Per row, in the type computed in: the loss times a scale, and log(sum(exp)).
struct CrossEntropyOp {
  static constexpr std::string_view kName = "softmax_cross_entropy";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = false;

  RowLabels labels;
  const void* class_weight;  // of the stored type, or null
  ScaleFactor scale;         // 1 / count for the mean
  void* losses;
  void* log_sums;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    auto* loss = static_cast<Element*>(losses) + row.index();
    auto* log_sum = static_cast<Element*>(log_sums) + row.index();
    const int64_t label = labels[row.index()];
    if (label < 0) {
      row.write(loss, Element(0));
      row.write(log_sum, Element(0));
      return;
    }
    const auto m = row.max([](auto x) { return x; });
    const ShiftedExp exp(m);
    const auto s = exp.unscaled(row.sum([&](auto x) { return exp.scaled(x); }));
    const Element total = row.number(m + (math::log(s) - exp.offset()));
    Element weight(1);
    if (class_weight != nullptr) {
      weight = static_cast<Element>(
          static_cast<const typename Row::Stored*>(class_weight)[label]);
    }
    const auto factor = static_cast<Element>(scale.value());
    row.write(loss, weight * (total - row.at(label)) * factor);
    row.write(log_sum, total);
  }
};

// gx = c (softmax(x) - [i == label]), where c is the row's gy times its weight,
// and times 1 / count for the mean.
struct CrossEntropyGradient {
  static constexpr std::string_view kName = "gradient of softmax_cross_entropy";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;

  RowLabels labels;
  const void* class_weight;
  const void* log_sums;
  const void* gy;     // of the stored type
  int64_t gy_step;    // 1, or 0 where all rows have one gy
  ScaleFactor scale;  // 1 / count for the mean

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    using Stored = typename Row::Stored;
    const int64_t label = labels[row.index()];
    if (label < 0) {
      row.store([](auto x) { return decltype(x)(0); });
      return;
    }
    Element c = static_cast<Element>(
        static_cast<const Stored*>(gy)[row.index() * gy_step]);
    c *= static_cast<Element>(scale.value());
    if (class_weight != nullptr) {
      c *=
          static_cast<Element>(static_cast<const Stored*>(class_weight)[label]);
    }
    const ShiftedExp exp(
        row.value(static_cast<const Element*>(log_sums)[row.index()]));
    const auto factor = row.value(c) * math::exp(-exp.offset());
    row.store_except(
        label, [&](auto x) { return factor * exp(x); },
        [&](Element y) { return y - c; });
  }
};

using CrossEntropyOps = TypeList<CrossEntropyOp, CrossEntropyGradient>;

}  // namespace catena::functions
