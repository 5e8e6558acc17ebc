// Products of 16-bit floats, computed in float32: of float16, and those of
// bfloat16 that multiply_bfloat16 does not compute.

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

}  // namespace

void multiply_in_float32(const GemmArgs& args) {
  const auto widen = [](const Array& x) {
    return x.astype(Dtype::kFloat32).contiguous();
  };
  const Array a = widen(as_array(args, args.a, args.m, args.k));
  const Array b = widen(as_array(args, args.b, args.k, args.n));
  const Array c = as_array(args, args.c, args.m, args.n);
  const Array wide = args.beta == 0
                         ? empty(c.shape(), Dtype::kFloat32, args.device)
                         : widen(c);
  GemmArgs product = args;
  product.dtype = Dtype::kFloat32;
  product.a = as_matrix(a, args.a.transposed);
  product.b = as_matrix(b, args.b.transposed);
  product.c = as_matrix(wide, false);
  kernel_slot<Gemm>.on(args.device)[product.dtype](product);
  c.assign(wide);
}

}  // namespace catena::kernels::CATENA_BACKEND
