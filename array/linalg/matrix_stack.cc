#include "catena/array/linalg/matrix_stack.h"

#include <algorithm>

#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array::linalg {
namespace {

// Whether the column of each element of a matrix is at least its row.
Array is_upper(int64_t rows, int64_t columns, Device device) {
  return greater_equal(arange(columns, Dtype::kInt64, device),
                       arange(rows, Dtype::kInt64, device).expand_dims(1));
}

}  // namespace

Dtype linalg_dtype(std::string_view name, Dtype dtype) {
  if (!is_floating(dtype)) return Dtype::kFloat64;
  if (dtype == Dtype::kFloat16 || dtype == Dtype::kBFloat16) {
    raise<DtypeError>(name, ": expected float32, float64 or integers, got ",
                      dtype, "; cast it with astype");
  }
  return dtype;
}

void check_matrices(std::string_view name, const Array& a) {
  if (a.ndim() < 2) {
    raise<ShapeError>(name,
                      ": expected matrices, of at least two axes, got "
                      "shape ",
                      a.shape());
  }
}

void check_square(std::string_view name, const Array& a) {
  check_matrices(name, a);
  if (a.shape().back() != a.shape()[a.ndim() - 2]) {
    raise<ShapeError>(name, ": expected square matrices, got shape ",
                      a.shape());
  }
}

Shape stack_shape(const Array& a, std::initializer_list<int64_t> last) {
  Shape shape(a.shape().begin(), static_cast<size_t>(a.ndim() - 2));
  for (const int64_t extent : last) shape.push_back(extent);
  return shape;
}

Array swap_last(const Array& a) {
  Axes axes;
  for (int i = 0; i < a.ndim() - 2; ++i) axes.push_back(i);
  axes.push_back(a.ndim() - 1);
  axes.push_back(a.ndim() - 2);
  return a.transpose(axes);
}

Array matrices_for_kernel(std::string_view name, const Array& a) {
  return a.astype(linalg_dtype(name, a.dtype()));
}

Array keep_lower(const Array& a) {
  const int64_t rows = a.shape()[a.ndim() - 2];
  const int64_t columns = a.shape().back();
  return where(swap_last(is_upper(columns, rows, a.device())), a, 0);
}

Array keep_upper(const Array& a) {
  const int64_t rows = a.shape()[a.ndim() - 2];
  const int64_t columns = a.shape().back();
  return where(is_upper(rows, columns, a.device()), a, 0);
}

Array diagonals(const Array& a) {
  const int last = a.ndim() - 1;
  Shape shape = stack_shape(a);
  Strides strides(a.strides().begin(), static_cast<size_t>(last - 1));
  shape.push_back(std::min(a.shape()[last - 1], a.shape()[last]));
  strides.push_back(a.strides()[last - 1] + a.strides()[last]);
  return Array(a.storage(), a.dtype(), shape, strides,
               a.raw_data() - a.storage()->data());
}

void check_finite(std::string_view name, const Array& elements,
                  const Array& a) {
  if (elements.size() == 0) return;
  const Array good = all(isfinite(elements), {.axis = {-2, -1}}).ravel();
  const int64_t first = argmin(good).item<int64_t>();
  if (!good[first].item<bool>()) {
    raise<LinAlgError>(name,
                       ": expected finite elements, got NaN or infinity "
                       "in ",
                       describe_matrix(first, a));
  }
}

std::optional<Failure> find_failure(const Array& status) {
  const Array host = status.to_device(native_device());
  const auto* codes = host.data<int32_t>();
  for (int64_t i = 0; i < host.size(); ++i) {
    if (codes[i] != 0) return Failure{i, codes[i]};
  }
  return std::nullopt;
}

std::string describe_matrix(int64_t matrix, const Array& a) {
  return str("matrix ", matrix, " of shape ", a.shape());
}

}  // namespace catena::array::linalg
