#include "catena/array/manipulation/diagonal.h"

#include <algorithm>
#include <vector>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce_call.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

Array diagonal_of(const Array& a, int64_t offset, int64_t axis1, int64_t axis2,
                  std::string_view operation) {
  if (a.ndim() < 2) {
    raise<ShapeError>(operation,
                      ": expected an array with at least two axes, got shape ",
                      a.shape());
  }
  const int first = normalize_axis(axis1, a.ndim(), operation);
  const int second = normalize_axis(axis2, a.ndim(), operation);
  if (first == second) {
    raise<ValueError>(operation, ": expected two different axes, got ", axis1,
                      " and ", axis2);
  }
  Shape shape;
  Strides strides;
  for (int i = 0; i < a.ndim(); ++i) {
    if (i == first || i == second) continue;
    shape.push_back(a.shape()[i]);
    strides.push_back(a.strides()[i]);
  }
  // Skipped rows or columns, clamped to the extents to avoid overflow.
  const int64_t rows = a.shape()[first];
  const int64_t columns = a.shape()[second];
  const int64_t below = std::clamp<int64_t>(
      offset < 0 ? (offset < -rows ? rows : -offset) : 0, 0, rows);
  const int64_t above = std::clamp<int64_t>(offset, 0, columns);
  const int64_t length = std::min(rows - below, columns - above);
  shape.push_back(length);
  strides.push_back(a.strides()[first] + a.strides()[second]);
  int64_t start = a.raw_data() - a.storage()->data();
  if (length > 0) {
    start += below * a.strides()[first] + above * a.strides()[second];
  }
  return Array(a.storage(), a.dtype(), shape, strides, start);
}

// Column - row, over the last two axes of a matrix.
Array columns_less_rows(int64_t rows, int64_t columns, Device device) {
  return subtract(arange(columns, Dtype::kInt64, device),
                  arange(rows, Dtype::kInt64, device).expand_dims(1));
}

Array triangle(const Array& m, int64_t k, bool lower,
               std::string_view operation) {
  if (m.ndim() == 0) {
    raise<ShapeError>(operation,
                      ": expected an array with at least one axis, got shape ",
                      m.shape());
  }
  const int64_t columns = m.shape().back();
  const int64_t rows = m.ndim() == 1 ? columns : m.shape()[m.ndim() - 2];
  const Array distance = columns_less_rows(rows, columns, m.device());
  const Array kept =
      lower ? less_equal(distance, k) : greater_equal(distance, k);
  return where(kept, m, zeros({}, m.dtype(), m.device()));
}

}  // namespace

Array diagonal(const Array& a, int64_t offset, int64_t axis1, int64_t axis2) {
  return diagonal_of(a, offset, axis1, axis2, "diagonal");
}

Array trace(const Array& a, const TraceOptions& options) {
  return call_reduction(
      kReduceTraits<SumOp>, "trace",
      diagonal_of(a, options.offset, options.axis1, options.axis2, "trace"),
      {.axis = -1, .dtype = options.dtype, .out = options.out});
}

Array diag(const Array& v, int64_t k) {
  if (v.ndim() == 1) return diagflat(v, k);
  if (v.ndim() != 2) {
    raise<ShapeError>(
        "diag: expected an array with one or two axes, got shape ", v.shape());
  }
  return diagonal_of(v, k, 0, 1, "diag");
}

Array diagflat(const Array& v, int64_t k) {
  int64_t extent = 0;
  const int64_t distance = k < 0 ? ~k : k;  // one less when negative
  if (__builtin_add_overflow(v.size() + (k < 0), distance, &extent)) {
    raise<ShapeError>("diagflat: diagonal ", k, " makes the matrix too large");
  }
  Array result = zeros({extent, extent}, v.dtype(), v.device());
  diagonal_of(result, k, 0, 1, "diagflat").assign(v.ravel());
  return result;
}

void fill_diagonal(const Array& a, const Operand& value,
                   const FillDiagonalOptions& options) {
  constexpr std::string_view kName = "fill_diagonal";
  check_writable(a, kName);
  const bool is_cube =
      std::all_of(a.shape().begin(), a.shape().end(),
                  [&](int64_t extent) { return extent == a.shape()[0]; });
  if (a.ndim() < 2 || (a.ndim() > 2 && !is_cube)) {
    raise<ShapeError>(kName,
                      ": expected a matrix, or more axes of one extent, got "
                      "shape ",
                      a.shape());
  }
  const int64_t rows = a.shape()[0];
  const int64_t columns = a.shape()[1];
  // Every (columns + 1) rows the diagonal starts again.
  const int64_t period = columns + 1;
  const bool wraps = options.wrap && a.ndim() == 2 && rows > columns;
  std::vector<Array> diagonals;
  for (int64_t row = 0; row == 0 || (wraps && row < rows); row += period) {
    Array rest = a[{Slice(row, std::nullopt)}];
    while (rest.ndim() > 1) rest = diagonal_of(rest, 0, 0, -1, kName);
    diagonals.push_back(rest);
  }
  const Array given = asarray(value, std::nullopt, a.device()).ravel();
  const Array* const both[] = {&a, &given};
  common_device(both, kName);
  if (given.size() == 0) {
    raise<ValueError>(kName, ": expected at least one value, got none");
  }
  int64_t done = 0;
  for (const Array& part : diagonals) {
    if (given.size() == 1) {
      part.assign(given.reshape({}));
    } else {
      const Array order =
          arange(done, done + part.size(), 1, Dtype::kInt64, a.device());
      part.assign(take(given, order, {.axis = 0, .mode = IndexMode::kWrap}));
    }
    done += part.size();
  }
}

Array tri(int64_t N, std::optional<int64_t> M, const TriOptions& options) {
  const int64_t columns = M.value_or(N);
  checked_size({N, columns}, item_size(options.dtype), "tri");
  const Device device = options.device.value_or(current_device());
  return less_equal(columns_less_rows(N, columns, device), options.k)
      .astype(options.dtype);
}

Array tril(const Array& m, int64_t k) { return triangle(m, k, true, "tril"); }
Array triu(const Array& m, int64_t k) { return triangle(m, k, false, "triu"); }

}  // namespace catena::array

namespace catena {

Array Array::trace(const array::TraceOptions& options) const {
  return array::trace(*this, options);
}

}  // namespace catena
