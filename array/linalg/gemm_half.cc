// Products of 16-bit floats, computed in float32: of float16, and those of
// bfloat16 that multiply_bfloat16 does not compute.

#include <algorithm>

#include "catena/array/array.h"
#include "catena/array/core/borrowed_storage.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/linalg/gemm_cpu.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// A stack of matrices with its layout in memory: rows are ld apart.
Array as_array(const GemmArgs& args, const GemmArgs::Matrix& x, int64_t rows,
               int64_t columns) {
  const int64_t item = item_size(args.dtype);
  Shape shape;
  Strides strides;
  for (int i = 0; i < args.batch_ndim; ++i) {
    shape.push_back(x.batch_strides[i] == 0 ? 1 : args.batch_shape[i]);
    strides.push_back(x.batch_strides[i]);
  }
  shape.push_back(x.transposed ? columns : rows);
  shape.push_back(x.transposed ? rows : columns);
  strides.push_back(x.ld * item);
  strides.push_back(item);
  return Array(BorrowedStorage::make(args.device, x.data, 0), args.dtype, shape,
               strides, 0);
}

// The matrix arguments for a contiguous stack.
GemmArgs::Matrix as_matrix(const Array& x, bool transposed) {
  const int axes = x.ndim() - 2;
  GemmArgs::Matrix matrix{x.raw_data(), x.shape()[axes + 1], transposed, {}};
  for (int i = 0; i < axes; ++i) {
    matrix.batch_strides[i] = x.shape()[i] == 1 ? 0 : x.strides()[i];
  }
  return matrix;
}

Array widen(const Array& x) { return x.astype(Dtype::kFloat32).contiguous(); }

// Larger matrices are widened in tiles, three of which fit into a cache. Each
// tile of A and B is widened once for kTile columns or rows of the result.
constexpr int64_t kTile = 1024;

bool is_large(const GemmArgs& args) {
  const int64_t matrix = args.m * args.k + args.k * args.n + args.m * args.n;
  return args.batch * matrix > 3 * kTile * kTile;
}

// The address of an element.
char* at(const GemmArgs& args, const GemmArgs::Matrix& x, int64_t row,
         int64_t column) {
  const int64_t index =
      x.transposed ? column * x.ld + row : row * x.ld + column;
  return x.data + index * item_size(args.dtype);
}

// Computes the product from parts with `depth` columns of A each.
void multiply(const GemmArgs& args, int64_t depth) {
  const Array c = as_array(args, args.c, args.m, args.n);
  const Array sum = args.beta == 0
                        ? empty(c.shape(), Dtype::kFloat32, args.device)
                        : widen(c);
  for (int64_t first = 0; first < args.k; first += depth) {
    GemmArgs part = args;
    part.k = std::min(depth, args.k - first);
    part.a.data = at(args, args.a, 0, first);
    part.b.data = at(args, args.b, first, 0);
    const Array a = widen(as_array(part, part.a, part.m, part.k));
    const Array b = widen(as_array(part, part.b, part.k, part.n));
    part.dtype = Dtype::kFloat32;
    part.a = as_matrix(a, args.a.transposed);
    part.b = as_matrix(b, args.b.transposed);
    part.c = as_matrix(sum, false);
    if (first > 0) part.beta = 1;
    kernel_slot<Gemm>.on(args.device)[part.dtype](part);
  }
  c.assign(sum);
}

// A product without a batch.
void multiply_in_tiles(const GemmArgs& args) {
  for (int64_t row = 0; row < args.m; row += kTile) {
    for (int64_t column = 0; column < args.n; column += kTile) {
      GemmArgs tile = args;
      tile.m = std::min(kTile, args.m - row);
      tile.n = std::min(kTile, args.n - column);
      tile.a.data = at(args, args.a, row, 0);
      tile.b.data = at(args, args.b, 0, column);
      tile.c.data = at(args, args.c, row, column);
      multiply(tile, kTile);
    }
  }
}

}  // namespace

void multiply_in_float32(const GemmArgs& args) {
  if (!is_large(args)) return multiply(args, args.k);
  for (int64_t i = 0; i < args.batch; ++i) {
    GemmArgs one = args;
    one.batch_ndim = 0;
    one.batch = 1;
    const ProductAddresses addresses(args, i);
    one.a.data = addresses.a;
    one.b.data = addresses.b;
    one.c.data = addresses.c;
    multiply_in_tiles(one);
  }
}

}  // namespace catena::kernels::CATENA_BACKEND
