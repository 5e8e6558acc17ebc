#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/rows/row_exp.h"
#include "catena/functions/loss/internal/row_labels.h"
#include "catena/functions/loss/internal/scale_factor.h"

// The row functors (row_args.h) of softmax_cross_entropy: one pass over
// the scores forward, one backward.
namespace catena::functions {

// What a row's loss is multiplied by.
struct CrossEntropyFactors {
  RowLabels labels;
  const void* class_weight;  // of the stored type, or null
  ScaleFactor scale;         // 1 / count for the mean

  // 1 for each row whose label counts, 0 for the others.
  template <class Row>
  CATENA_HOST_DEVICE auto counts(const Row& row) const {
    using Element = typename Row::Element;
    return row.value_of([this](const auto& one) {
      return labels[one.index()] < 0 ? Element(0) : Element(1);
    });
  }

  // The weight of each row's class, or 0 for rows that are left out.
  template <class Row>
  CATENA_HOST_DEVICE auto weights(const Row& row) const {
    using Element = typename Row::Element;
    return row.value_of([this](const auto& one) {
      const int64_t label = labels[one.index()];
      if (label < 0) return Element(0);
      if (class_weight == nullptr) return Element(1);
      return static_cast<Element>(
          static_cast<const typename Row::Stored*>(class_weight)[label]);
    });
  }

  // Whether there is a single row, which is left out.
  template <class Row>
  CATENA_HOST_DEVICE bool leaves_out(const Row& row) const {
    if constexpr (Row::kIsOne) {
      return labels[row.index()] < 0;
    } else {
      return false;
    }
  }
};

// Per row, in the type computed in: the loss times a scale, and log(sum(exp)).
struct CrossEntropyOp : CrossEntropyFactors {
  static constexpr std::string_view kName = "softmax_cross_entropy";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = false;
  static constexpr bool kInLanes = true;

  void* losses;
  void* log_sums;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const auto zero = row.value(Element(0));
    const auto write = [&](auto loss, auto log_sum) {
      row.write(static_cast<Element*>(losses), loss);
      row.write(static_cast<Element*>(log_sums), log_sum);
    };
    if (leaves_out(row)) return write(zero, zero);
    const auto of_row = exp_sum(row);
    const ShiftedExp exp(of_row.max);
    const auto total =
        of_row.max + (math::log(exp.unscaled(of_row.sum)) - exp.offset());
    const auto score = row.value_of([this](const auto& one) {
      const int64_t label = labels[one.index()];
      return label < 0 ? Element(0) : one.at(label);
    });
    const auto factor = row.value(static_cast<Element>(scale.value()));
    const auto loss = weights(row) * (total - score) * factor;
    const auto is_out = counts(row) == zero;
    write(math::select(is_out, zero, loss), math::select(is_out, zero, total));
  }
};

// gx = c (softmax(x) - [i == label]), where c is the row's gy times its weight,
// and times 1 / count for the mean.
struct CrossEntropyGradient : CrossEntropyFactors {
  static constexpr std::string_view kName = "gradient of softmax_cross_entropy";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;
  static constexpr bool kInLanes = true;

  const void* log_sums;
  const void* gy;   // of the stored type
  int64_t gy_step;  // 1, or 0 where all rows have one gy

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    using Stored = typename Row::Stored;
    if (leaves_out(row)) {
      return row.store([](auto x) { return decltype(x)(0); });
    }
    const auto gradient = row.value_of([this](const auto& one) {
      return static_cast<Element>(
          static_cast<const Stored*>(gy)[one.index() * gy_step]);
    });
    const auto zero = row.value(Element(0));
    const auto is_out = counts(row) == zero;
    const auto product =
        gradient * row.value(static_cast<Element>(scale.value()));
    const auto c = math::select(is_out, zero, product * weights(row));
    const ShiftedExp exp(row.read(static_cast<const Element*>(log_sums)));
    const auto factor = c * math::exp(-exp.offset());
    row.store_less_at([this](const auto& one) { return labels[one.index()]; },
                      [&](auto x) {
                        const auto y = factor * exp(x);
                        if constexpr (Row::kIsOne) {
                          return y;
                        } else {
                          return math::select(is_out, zero, y);  // x may be NaN
                        }
                      },
                      c);
  }
};

// The same with label smoothing: the target of class c, whose weight is w(c),
// is
//
//   q(c) = w(c) ((1 - smoothing) [c == label] + smoothing / C).
//
// The weights of all classes are the last input.
struct SmoothedFactors : CrossEntropyFactors {
  static constexpr int kInputs = 2;
  static constexpr int kShared = 1;

  double smoothing;

  // The target of a row's label, less what it has as every class has it.
  template <class Row>
  CATENA_HOST_DEVICE auto label_target(const Row& row) const {
    using Element = typename Row::Element;
    return row.value(static_cast<Element>(1 - smoothing)) * weights(row);
  }
  // What weights are multiplied by for the targets of all classes.
  template <class Row>
  CATENA_HOST_DEVICE auto share(const Row& row) const {
    using Element = typename Row::Element;
    return row.value(
        static_cast<Element>(smoothing / static_cast<double>(row.length())));
  }
};

struct SmoothedCrossEntropyOp : SmoothedFactors {
  static constexpr std::string_view kName =
      "softmax_cross_entropy with label smoothing";
  static constexpr bool kOutput = false;

  void* losses;
  void* log_sums;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const auto write = [&](auto loss, auto log_sum) {
      row.write(static_cast<Element*>(losses), loss);
      row.write(static_cast<Element*>(log_sums), log_sum);
    };
    const int64_t label = labels[row.index()];
    if (label < 0) return write(row.value(0), row.value(0));
    const auto max = row.max([](auto x, auto) { return x; });
    const ShiftedExp exp(max);
    const auto sum = row.sum([&](auto x, auto) { return exp.scaled(x); });
    const auto total = max + (math::log(exp.unscaled(sum)) - exp.offset());
    const auto of_all =
        row.sum([&](auto x, auto w) { return w * (total - x); });
    const auto loss = label_target(row) * (total - row.value(row.at(label))) +
                      share(row) * of_all;
    write(loss * row.value(static_cast<Element>(scale.value())), total);
  }
};

// gx = c (softmax(x) sum(q) - q), with c as in CrossEntropyGradient but for the
// weight.
struct SmoothedCrossEntropyGradient : SmoothedFactors {
  static constexpr std::string_view kName =
      "gradient of softmax_cross_entropy with label smoothing";
  static constexpr bool kOutput = true;

  const void* log_sums;
  const void* gy;   // of the stored type
  int64_t gy_step;  // 1, or 0 where all rows have one gy

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    using Stored = typename Row::Stored;
    const int64_t label = labels[row.index()];
    if (label < 0) {
      return row.store([](auto x, auto) { return decltype(x)(0); });
    }
    const auto gradient = static_cast<Element>(
        static_cast<const Stored*>(gy)[row.index() * gy_step]);
    const auto c = row.value(gradient * static_cast<Element>(scale.value()));
    const auto of_label = c * label_target(row);
    const auto of_all = c * share(row);
    const auto total =
        of_label + of_all * row.sum([](auto, auto w) { return w; });
    const ShiftedExp exp(row.read(static_cast<const Element*>(log_sums)));
    const auto factor = total * math::exp(-exp.offset());
    row.store_less_at(
        [label](const auto&) { return label; },
        [&](auto x, auto w) { return factor * exp(x) - of_all * w; }, of_label);
  }
};

using CrossEntropyOps =
    TypeList<CrossEntropyOp, CrossEntropyGradient, SmoothedCrossEntropyOp,
             SmoothedCrossEntropyGradient>;

}  // namespace catena::functions
