#include "catena/functions/math/sparse_matmul.h"

#include <algorithm>
#include <new>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/indexing/nonzero.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/scatter_add.h"
#include "catena/functions/array/swapaxes.h"
#include "catena/functions/array/where.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

void check_operands(const CooMatrix& sparse, const Variable& dense) {
  static constexpr std::string_view kNames[] = {"data", "dense"};
  const VariableRef inputs[] = {sparse.data, dense};
  TypeCheck in("sparse_matmul", inputs);
  in.set_names(kNames);
  in.expect_same_dtype();
  in.expect(in[0].ndim() >= 1, in[0].ndim() <= 2);
  in.expect(in[1].ndim() == in[0].ndim() + 1);
  if (in[0].array().ndim() == 2) in.expect(in[1].shape(0) == in[0].shape(0));
  if (sparse.shape.ndim() != 2) {
    raise<InvalidType>(
        "sparse_matmul: expected the shape (m, n) of a matrix, "
        "got ",
        sparse.shape);
  }
  const auto& data = sparse.data;
  for (const Array* index : {&sparse.row, &sparse.col}) {
    if (index->shape() != data.shape() || !is_integral(index->dtype())) {
      raise<InvalidType>(
          "sparse_matmul: expected integers row and col of "
          "data's shape ",
          data.shape(), ", got ", index->dtype(), " ", index->shape());
    }
  }
}

// Maps index i of matrix k in a batch to k extent + i, and ignored elements to
// 0. Throws IndexError.
Array flat_index(const Array& index, const Array& counts, int64_t extent,
                 std::string_view name) {
  if (index.size() > 0) {
    const auto max = array::max(index).item<int64_t>();
    if (max >= extent) {
      raise<IndexError>("sparse_matmul: expected ", name, " below ", extent,
                        ", got ", max);
    }
  }
  Array flat = array::where(counts, index.astype(Dtype::kInt64), 0);
  if (flat.ndim() == 2) {
    const Array first =
        array::arange(index.shape()[0], Dtype::kInt64, index.device()) * extent;
    flat = flat + first.expand_dims(1);
  }
  return flat.reshape({-1});
}

// The sparse matrix, optionally transposed, times (..., k, n): each element
// times its column's row of b, added to its own row of the result.
Variable multiply(const CooMatrix& a, bool transposed, const Variable& b) {
  const int rank = b.ndim();
  const int64_t batch = rank == 3 ? b.shape()[0] : 1;
  const int64_t m = a.shape[transposed ? 1 : 0];
  const int64_t k = a.shape[transposed ? 0 : 1];
  const int64_t n = b.shape()[rank - 1];
  if (b.shape()[rank - 2] != k) {
    raise<InvalidType>("sparse_matmul: expected ", k,
                       " rows of the dense operand, got shape ", b.shape());
  }
  const Array counts = array::logical_and(array::greater_equal(a.row, 0),
                                          array::greater_equal(a.col, 0));
  const Array rows = flat_index(transposed ? a.col : a.row, counts, m, "row");
  const Array columns =
      flat_index(transposed ? a.row : a.col, counts, k, "col");
  const Variable data = reshape(where(counts, a.data, 0), {rows.size(), 1});
  const Variable terms =
      data * get_item(reshape(b, {batch * k, n}), columns, 0);
  const Variable zeros =
      as_variable(array::zeros({batch * m, n}, b.dtype(), b.device()));
  Shape shape = b.shape();
  shape[rank - 2] = m;
  return reshape(scatter_add(zeros, {rows}, terms), shape);
}

Variable scaled(const Variable& y, double alpha) {
  return alpha == 1 ? y : y * alpha;
}

}  // namespace

CooMatrix to_coo(const Array& x, std::optional<int64_t> nnz) try {
  if (x.ndim() != 2 && x.ndim() != 3) {
    raise<ShapeError>("to_coo: expected (m, n) or (B, m, n), got ", x.shape());
  }
  const int64_t batch = x.ndim() == 3 ? x.shape()[0] : 1;
  const int64_t columns = x.shape()[x.ndim() - 1];
  const Array host = x.to_device(native_device())
                         .reshape({batch, x.shape()[x.ndim() - 2] * columns});
  std::vector<std::vector<int64_t>> places;
  int64_t max = 0;
  for (const Array& matrix : host) {
    places.push_back(array::flatnonzero(matrix).to_vector<int64_t>());
    max = std::max(max, static_cast<int64_t>(places.back().size()));
  }
  if (nnz.value_or(max) < max) {
    raise<ValueError>("to_coo: expected at most ", *nnz,
                      " nonzero elements, got ", max);
  }
  const auto width = static_cast<size_t>(nnz.value_or(max));
  // Checks the size, too.
  const Array data = array::zeros({batch, static_cast<int64_t>(width)},
                                  x.dtype(), native_device());
  std::vector<int32_t> row(places.size() * width, -1);
  std::vector<int32_t> col(row);
  for (size_t b = 0; b < places.size(); ++b) {
    for (size_t i = 0; i < places[b].size(); ++i) {
      row[b * width + i] = static_cast<int32_t>(places[b][i] / columns);
      col[b * width + i] = static_cast<int32_t>(places[b][i] % columns);
    }
    const auto k = static_cast<int64_t>(b);
    data[{k, Slice(0, static_cast<int64_t>(places[b].size()))}].assign(
        array::take(host[k],
                    array::array(places[b], std::nullopt, native_device())));
  }
  Shape shape = data.shape();
  if (x.ndim() == 2) shape.erase(0);
  return {Variable(data.reshape(shape).to_device(x.device())),
          array::array(row, shape, x.device()),
          array::array(col, shape, x.device()),
          {x.shape()[x.ndim() - 2], columns}};
} catch (const std::bad_alloc&) {
  raise_out_of_memory("to_coo");
}

Variable sparse_matmul(const CooMatrix& a, const Variable& b,
                       const MatmulOptions& options) {
  check_operands(a, b);
  return scaled(
      multiply(a, options.transa, options.transb ? swapaxes(b, -1, -2) : b),
      options.alpha);
}

Variable sparse_matmul(const Variable& a, const CooMatrix& b,
                       const MatmulOptions& options) {
  check_operands(b, a);
  // (a b)^T = b^T a^T.
  const Variable y =
      multiply(b, !options.transb, options.transa ? a : swapaxes(a, -1, -2));
  return scaled(swapaxes(y, -1, -2), options.alpha);
}

}  // namespace catena::functions
