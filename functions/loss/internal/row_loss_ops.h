#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/loss/internal/loss_ops.h"
#include "catena/functions/loss/internal/row_labels.h"
#include "catena/functions/math/internal/difference_ops.h"

// The row functors (row_args.h) of losses other than softmax_cross_entropy.
namespace catena::functions {

// Per row, in the type computed in: the sum over the elements of a rule of two
// inputs (row_sum.h).
template <class Rule>
struct RowSumOp {
  static constexpr std::string_view kName = Rule::kLabel;
  static constexpr int kInputs = 2;
  static constexpr bool kOutput = false;
  static constexpr bool kInLanes = true;

  typename Rule::Forward of_element;
  void* sums;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    const auto s = row.sum([this](auto a, auto b) { return of_element(a, b); });
    row.write(static_cast<typename Row::Element*>(sums), s);
  }
};

// max(0, margin), or its square; NaN stays NaN.
template <class T>
CATENA_HOST_DEVICE T hinge_of(T margin, bool squared) {
  const T m = math::select(margin <= T(0), T(0), margin);
  return squared ? m * m : m;
}
// The derivative of hinge_of.
template <class T>
CATENA_HOST_DEVICE T hinge_slope(T margin, bool squared) {
  return math::select(margin > T(0), squared ? margin * T(2) : T(1), T(0));
}

struct HingeArgs {
  RowLabels labels;
  bool squared;

  // Any class for a wrong label, for which there is an error to come.
  CATENA_HOST_DEVICE int64_t label_of(int64_t row) const {
    const int64_t label = labels[row];
    return label < 0 ? 0 : label;
  }
};

// Per row, in the type computed in: the sum over the classes.
struct HingeOp : HingeArgs {
  static constexpr std::string_view kName = "hinge";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = false;

  void* losses;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const int64_t label = label_of(row.index());
    const auto wrong = [this](auto x) {
      return hinge_of(x + decltype(x)(1), squared);
    };
    // The sum skips the label's own term instead of subtracting it afterwards,
    // since it may be much larger than the others.
    const Element before = row.number(row.part(0, label).sum(wrong));
    const Element after =
        row.number(row.part(label + 1, row.length()).sum(wrong));
    const Element right = hinge_of(Element(1) - row.at(label), squared);
    row.write(static_cast<Element*>(losses), row.value(before + after + right));
  }
};

// The loss of each class.
struct HingeElementsOp : HingeArgs {
  static constexpr std::string_view kName = "hinge";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const int64_t label = label_of(row.index());
    row.store_except(
        label, [this](auto x) { return hinge_of(x + decltype(x)(1), squared); },
        [&](Element) { return hinge_of(Element(1) - row.at(label), squared); });
  }
};

// gx = sign slope gy, from x and a single gy.
struct HingeGradient : HingeArgs {
  static constexpr std::string_view kName = "gradient of hinge";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;

  const void* gy;  // one number, of the stored type
  double scale;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const int64_t label = label_of(row.index());
    const Element c =
        static_cast<Element>(*static_cast<const typename Row::Stored*>(gy)) *
        static_cast<Element>(scale);
    const auto factor = row.value(c);
    row.store_except(
        label,
        [&](auto x) {
          return hinge_slope(x + decltype(x)(1), squared) * factor;
        },
        [&](Element) {
          return -hinge_slope(Element(1) - row.at(label), squared) * c;
        });
  }
};
// gx = sign slope gy, from x and a gy for each element.
struct HingeElementsGradient : HingeArgs {
  static constexpr std::string_view kName = "gradient of hinge";
  static constexpr int kInputs = 2;
  static constexpr bool kOutput = true;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const int64_t label = label_of(row.index());
    row.store_except(
        label,
        [this](auto x, auto gy) {
          return hinge_slope(x + decltype(x)(1), squared) * gy;
        },
        [&](Element) {
          return -hinge_slope(Element(1) - row.at(label), squared) *
                 row.at(label, 1);
        });
  }
};

using RowLossOps =
    TypeList<RowSumOp<SquaredDifference>, RowSumOp<HuberLoss>, HingeOp,
             HingeElementsOp, HingeGradient, HingeElementsGradient>;

}  // namespace catena::functions
