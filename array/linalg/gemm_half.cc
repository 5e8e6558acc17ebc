// Products of 16-bit floats in float32, for want of a library that has them on
// every processor.

#include "catena/array/array.h"
#include "catena/array/linalg/gemm_cpu.h"
#include "catena/array/linalg/matmul.h"

namespace catena::array::cpu {
namespace {

// The stack of matrices in memory, as it lies there: `rows` are ld apart.
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
  return Array(Storage::borrow(args.device, x.data, 0, nullptr), args.dtype,
               shape, strides, 0);
}

}  // namespace

void multiply_in_float32(const GemmArgs& args) {
  const Array a = as_array(args, args.a, args.m, args.k);
  const Array b = as_array(args, args.b, args.k, args.n);
  const Array c = as_array(args, args.c, args.m, args.n);
  const Array wide = args.beta == 0
                         ? empty(c.shape(), Dtype::kFloat32, args.device)
                         : c.astype(Dtype::kFloat32);
  gemm(a.astype(Dtype::kFloat32), b.astype(Dtype::kFloat32), wide,
       {.transa = args.a.transposed,
        .transb = args.b.transposed,
        .alpha = args.alpha,
        .beta = args.beta});
  c.assign(wide);
}

}  // namespace catena::array::cpu
