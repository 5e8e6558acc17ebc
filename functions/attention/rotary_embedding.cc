#include "catena/functions/attention/rotary_embedding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/index.h"
#include "catena/functions/attention/internal/head_order.h"
#include "catena/functions/attention/internal/rotary_ops.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Rotary {
  static constexpr std::string_view kLabel = "rotary_embedding";
  using Kind = kinds::RotaryEmbedding;
  Array cos;
  Array sin;
  bool interleaved;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("interleaved", interleaved);
  }

  void check(const TypeCheck& in, type_check::Input x) const {
    in.expect_floating(x);
    const Array& given = x.array();
    const Dtype dtype = computed_dtype(given.dtype());
    if (cos.dtype() != dtype || sin.dtype() != dtype) {
      in.fail(str("tables of ", dtype), str(cos.dtype(), " and ", sin.dtype()));
    }
    if (cos.shape() != sin.shape()) {
      in.fail("cos.shape == sin.shape", str(cos.shape(), " != ", sin.shape()));
    }
    const int ndim = given.ndim();
    bool fits = ndim >= 2 && cos.ndim() >= 1 && cos.ndim() <= ndim &&
                2 * cos.shape()[cos.ndim() - 1] <= given.shape()[ndim - 1];
    for (int axis = 2; fits && axis <= cos.ndim(); ++axis) {
      const int64_t extent = cos.shape()[cos.ndim() - axis];
      fits = extent == 1 || extent == given.shape()[ndim - axis];
    }
    if (!fits) {
      in.fail(
          "tables that broadcast to x.shape, with up to half of its last "
          "extent",
          str("tables ", cos.shape(), " for ", given.shape()));
    }
  }

  Array map(const Array& x) const { return turned(x, 1); }
  Array transposed(const Array& gy, const ArrayForm&) const {
    return turned(gy, -1);
  }

 private:
  Array turned(const Array& x, double direction) const {
    const int64_t size = x.shape()[x.ndim() - 1];
    const int64_t half = cos.shape()[cos.ndim() - 1];
    Array y = x.ndim() == 4 ? empty_in_order_of(x, size) : array::empty_like(x);
    if (size > 2 * half) {
      const Slice rest(2 * half, size);
      Array(y[{ellipsis, rest}]).assign(x[{ellipsis, rest}]);
    }
    const Slice first = interleaved ? Slice(0, 2 * half, 2) : Slice(0, half);
    const Slice second =
        interleaved ? Slice(1, 2 * half, 2) : Slice(half, 2 * half);
    const Array x1 = x[{ellipsis, first}];
    const Array x2 = x[{ellipsis, second}];
    const Array y1 = y[{ellipsis, first}];
    const Array y2 = y[{ellipsis, second}];
    const RotaryOp op{direction};
    const array::KernelOperand operands[] = {x1, x2, cos, sin, y1, y2};
    array::run_elementwise(kernel_slot<RotaryFamily, RotaryOp>, x.dtype(),
                           operands, &op);
    return y;
  }
};

// Angles of a position 1, for each pair.
Array frequencies(int64_t size, const RotaryTablesOptions& options) {
  Array result = array::empty({size / 2}, Dtype::kFloat64, native_device());
  for (int64_t i = 0; i < size / 2; ++i) {
    double frequency = std::pow(options.base, -2.0 * static_cast<double>(i) /
                                                  static_cast<double>(size));
    if (const auto& scaling = options.scaling) {
      const double waves = static_cast<double>(scaling->original_context) *
                           frequency / (2 * std::numbers::pi);
      const double share =
          (waves - scaling->low_frequency_factor) /
          (scaling->high_frequency_factor - scaling->low_frequency_factor);
      const double kept = std::clamp(share, 0.0, 1.0);
      frequency *= kept + (1 - kept) / scaling->factor;
    }
    result.data<double>()[i] = frequency;
  }
  return result;
}

void check_tables(int64_t size, const RotaryTablesOptions& options) {
  if (size < 1 || size % 2 != 0) {
    raise<ValueError>("rotary_tables: expected a positive, even size, got ",
                      size);
  }
  if (!(options.base > 0) || !std::isfinite(options.base)) {
    raise<ValueError>("rotary_tables: expected a positive base, got ",
                      options.base);
  }
  if (options.dtype != Dtype::kFloat32 && options.dtype != Dtype::kFloat64) {
    raise<DtypeError>("rotary_tables: expected dtype float32 or float64, got ",
                      options.dtype);
  }
  if (const auto& scaling = options.scaling;
      scaling &&
      (!(scaling->factor > 0) || scaling->original_context < 1 ||
       !(scaling->high_frequency_factor > scaling->low_frequency_factor))) {
    raise<ValueError>(
        "rotary_tables: expected a positive factor and original_context, and "
        "high_frequency_factor above low_frequency_factor, got ",
        scaling->factor, ", ", scaling->original_context, ", ",
        scaling->high_frequency_factor, " and ", scaling->low_frequency_factor);
  }
}

}  // namespace

RotaryTables rotary_tables(const Array& positions, int64_t size,
                           const RotaryTablesOptions& options) {
  check_tables(size, options);
  if (!is_integral(positions.dtype())) {
    raise<DtypeError>("rotary_tables: expected positions to be integers, got ",
                      positions.dtype());
  }
  const Array places =
      positions.to_device(native_device()).astype(Dtype::kInt64);
  Shape shape = positions.shape();
  shape.push_back(size / 2);
  const Array cos = array::empty(shape, Dtype::kFloat64, native_device());
  const Array sin = array::empty_like(cos);
  const Array rates = frequencies(size, options);
  double* to_cos = cos.data<double>();
  double* to_sin = sin.data<double>();
  for (int64_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<double>(places.data<int64_t>()[i]);
    for (int64_t j = 0; j < size / 2; ++j) {
      const double angle = place * rates.data<double>()[j];
      *to_cos++ = std::cos(angle);
      *to_sin++ = std::sin(angle);
    }
  }
  const auto placed = [&](const Array& x) {
    return x.astype(options.dtype).to_device(current_device());
  };
  return {placed(cos), placed(sin)};
}

Variable rotary_embedding(const Variable& x, const RotaryTables& tables,
                          const RotaryEmbeddingOptions& options) {
  return apply_linear(x, Rotary{tables.cos, tables.sin, options.interleaved});
}

}  // namespace catena::functions
