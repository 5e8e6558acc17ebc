#include "catena/array/linalg/gemm_batch.h"

#include <algorithm>

namespace catena::cuda {
namespace {

using array::GemmArgs;

// The longest axis without negative strides, which cuBLAS does not guarantee to
// support; -1 if there is none.
int longest_axis(const GemmArgs& args) {
  int longest = -1;
  for (int axis = 0; axis < args.batch_ndim; ++axis) {
    const bool is_forward = args.a.batch_strides[axis] >= 0 &&
                            args.b.batch_strides[axis] >= 0 &&
                            args.c.batch_strides[axis] >= 0;
    if (is_forward &&
        (longest < 0 || args.batch_shape[axis] > args.batch_shape[longest])) {
      longest = axis;
    }
  }
  return longest;
}

// The byte offset of the matrix at a position, counted in C order, along the
// axes except `skipped`.
int64_t offset_of(const GemmArgs& args, const GemmArgs::Matrix& x,
                  int64_t position, int skipped) {
  int64_t offset = 0;
  for (int axis = args.batch_ndim - 1; axis >= 0; --axis) {
    if (axis == skipped) continue;
    const int64_t extent = args.batch_shape[axis];
    offset += position % extent * x.batch_strides[axis];
    position /= extent;
  }
  return offset;
}

}  // namespace

void visit_gemm_batches(const GemmArgs& args,
                        absl::FunctionRef<void(const GemmBatch& batch)> visit) {
  const int axis = longest_axis(args);
  const int64_t item = item_size(args.dtype);
  GemmBatch batch{};
  batch.count = 1;
  if (axis >= 0) {
    batch.count = args.batch_shape[axis];
    batch.a_stride = args.a.batch_strides[axis] / item;
    batch.b_stride = args.b.batch_strides[axis] / item;
    batch.c_stride = args.c.batch_strides[axis] / item;
  }
  const int64_t groups = args.batch / batch.count;
  for (int64_t group = 0; group < groups; ++group) {
    batch.a = args.a.data + offset_of(args, args.a, group, axis);
    batch.b = args.b.data + offset_of(args, args.b, group, axis);
    batch.c = args.c.data + offset_of(args, args.c, group, axis);
    visit(batch);
  }
}

}  // namespace catena::cuda
