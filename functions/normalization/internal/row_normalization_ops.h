#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/rows/row_args.h"

// The row functors (row_args.h) of layer_normalization, rms_normalization and
// normalize, and of their gradients.
namespace catena::functions {

// (x - mean) / std of a row. The offset, in place of the mean's rest, takes one
// multiply-add an element.
template <class Row>
struct NormalizedRow {
  using Value = typename Row::Value;

  Value mean;  // as rounded
  Value inv_std;
  Value offset;

  CATENA_HOST_DEVICE Value operator()(Value x) const {
    return (x - mean) * inv_std + offset;
  }
};

// Each row's numbers of NormalizedRow, in the type computed in.
struct StoredMoments {
  void* means;
  void* inv_stds;
  void* offsets;

  template <class Row>
  CATENA_HOST_DEVICE void write(Row& row, const NormalizedRow<Row>& x) const {
    using Element = typename Row::Element;
    if (means == nullptr) return;
    row.write(static_cast<Element*>(means), x.mean);
    row.write(static_cast<Element*>(inv_stds), x.inv_std);
    row.write(static_cast<Element*>(offsets), x.offset);
  }

  template <class Row>
  CATENA_HOST_DEVICE NormalizedRow<Row> read(const Row& row) const {
    using Element = typename Row::Element;
    return {row.read(static_cast<const Element*>(means)),
            row.read(static_cast<const Element*>(inv_stds)),
            row.read(static_cast<const Element*>(offsets))};
  }
};

// Inputs: x and, shared by all rows, gamma and beta.
struct LayerNormalizationOp {
  static constexpr std::string_view kName = "layer_normalization";
  static constexpr int kInputs = 3;
  static constexpr int kShared = 2;
  static constexpr bool kOutput = true;

  double eps;
  StoredMoments moments;  // written, unless null

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const auto own = row.moments([](auto x, auto...) { return x; });
    const auto eps_of_row = row.value(static_cast<Element>(eps));
    const auto inv_std =
        row.value(Element(1)) / math::sqrt(own.variance + eps_of_row);
    const NormalizedRow<Row> x_hat{own.mean, inv_std,
                                   row.value(Element(0)) - own.rest * inv_std};
    moments.write(row, x_hat);
    row.store(
        [&](auto x, auto gamma, auto beta) { return x_hat(x) * gamma + beta; });
  }
};

// gx = (g - mean(g) - x_hat mean(g x_hat)) / std where g = gy gamma.
struct LayerNormalizationGradient {
  StoredMoments moments;

  // Calls store(x_hat, f), which writes f of x, gy and gamma as gx.
  template <class Row, class Store>
  CATENA_HOST_DEVICE void of_row(const Row& row, Store store) const {
    using Element = typename Row::Element;
    const auto x_hat = moments.read(row);
    const auto count = row.value(static_cast<Element>(row.length()));
    const auto sums = row.sums(
        [](auto, auto gy, auto gamma) { return gy * gamma; },
        [&](auto x, auto gy, auto gamma) { return gy * gamma * x_hat(x); });
    const auto m = sums.first / count;
    const auto p = sums.second / count;
    store(x_hat, [&](auto x, auto gy, auto gamma) {
      return (gy * gamma - m - x_hat(x) * p) * x_hat.inv_std;
    });
  }
};

// The gradient of x as `Gradient` has it. Inputs: x, gy and, shared by all
// rows, gamma.
template <class Gradient>
struct GradientOfNormalized : Gradient {
  static constexpr int kInputs = 3;
  static constexpr int kShared = 1;
  static constexpr bool kOutput = true;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    this->of_row(row, [&](const auto&, auto gx) { row.store(gx); });
  }
};

// The same, and the terms of gamma's gradient, gy x_hat, and of beta's, gy.
template <class Gradient>
struct GradientsOfNormalized : Gradient {
  static constexpr int kInputs = 3;
  static constexpr int kShared = 1;
  static constexpr bool kOutput = true;

  ColumnSums column_sums;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    this->of_row(row, [&](const auto& x_hat, auto gx) {
      row.store_and_add(
          column_sums, gx, [&](auto x, auto gy, auto) { return gy * x_hat(x); },
          [](auto, auto gy, auto) { return gy; });
    });
  }
};

struct LayerNormalizationGradientOfX
    : GradientOfNormalized<LayerNormalizationGradient> {
  static constexpr std::string_view kName = "gradient of layer_normalization";
};
struct LayerNormalizationGradients
    : GradientsOfNormalized<LayerNormalizationGradient> {
  static constexpr std::string_view kName = "gradients of layer_normalization";
};

// x gamma / sqrt(mean(x^2) + eps). Inputs: x and, shared by all rows, gamma.
struct RmsNormalizationOp {
  static constexpr std::string_view kName = "rms_normalization";
  static constexpr int kInputs = 2;
  static constexpr int kShared = 1;
  static constexpr bool kOutput = true;

  double eps;
  void* factors;  // each row's 1 / sqrt(...); written, unless null

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const auto sum = row.sum([](auto x, auto) { return x * x; });
    const auto count = row.value(static_cast<Element>(row.length()));
    const auto eps_of_row = row.value(static_cast<Element>(eps));
    const auto factor =
        row.value(Element(1)) / math::sqrt(sum / count + eps_of_row);
    if (factors != nullptr) row.write(static_cast<Element*>(factors), factor);
    row.store([&](auto x, auto gamma) { return x * factor * gamma; });
  }
};

// gx = (g - x_hat mean(g x_hat)) factor where g = gy gamma and x_hat = x
// factor.
struct RmsNormalizationGradient {
  const void* factors;

  // Calls store(x_hat, f), which writes f of x, gy and gamma as gx.
  template <class Row, class Store>
  CATENA_HOST_DEVICE void of_row(const Row& row, Store store) const {
    using Element = typename Row::Element;
    const auto factor = row.read(static_cast<const Element*>(factors));
    const auto count = row.value(static_cast<Element>(row.length()));
    const auto sum =
        row.sum([](auto x, auto gy, auto gamma) { return gy * gamma * x; });
    const auto p = sum * factor * factor / count;
    store([&](auto x) { return x * factor; },
          [&](auto x, auto gy, auto gamma) {
            return (gy * gamma - x * p) * factor;
          });
  }
};

struct RmsNormalizationGradientOfX
    : GradientOfNormalized<RmsNormalizationGradient> {
  static constexpr std::string_view kName = "gradient of rms_normalization";
};
struct RmsNormalizationGradients
    : GradientsOfNormalized<RmsNormalizationGradient> {
  static constexpr std::string_view kName = "gradients of rms_normalization";
};

// x / (|x| + eps).
struct NormalizeOp {
  static constexpr std::string_view kName = "normalize";
  static constexpr int kInputs = 1;
  static constexpr bool kOutput = true;
  static constexpr bool kInLanes = true;

  double eps;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const auto norm = math::sqrt(row.sum([](auto x) { return x * x; })) +
                      row.value(static_cast<Element>(eps));
    row.store([&](auto x) { return x / norm; });
  }
};

// gx = gy / n - x sum(x gy) / (|x| n^2) where n = |x| + eps. Inputs: x and gy.
// The second term is 0 if x is 0.
struct NormalizeGradient {
  static constexpr std::string_view kName = "gradient of normalize";
  static constexpr int kInputs = 2;
  static constexpr bool kOutput = true;
  static constexpr bool kInLanes = true;

  double eps;

  template <class Row>
  CATENA_HOST_DEVICE void operator()(Row& row) const {
    using Element = typename Row::Element;
    const auto length = math::sqrt(row.sum([](auto x, auto) { return x * x; }));
    const auto norm = length + row.value(static_cast<Element>(eps));
    const auto zero = row.value(Element(0));
    const auto one = row.value(Element(1));
    const auto product = row.sum([](auto x, auto gy) { return x * gy; });
    const auto factor =
        product / (math::select(length == zero, one, length) * norm * norm);
    row.store([&](auto x, auto gy) { return gy / norm - x * factor; });
  }
};

using RowNormalizationOps =
    TypeList<LayerNormalizationOp, LayerNormalizationGradientOfX,
             LayerNormalizationGradients, RmsNormalizationOp,
             RmsNormalizationGradientOfX, RmsNormalizationGradients,
             NormalizeOp, NormalizeGradient>;

}  // namespace catena::functions
