#include "catena/array/linalg/gemm_batch.h"

#include <algorithm>
#include <cstdint>
#include <limits>

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

// The number of matrices in a strided batch along an axis.
int64_t extent_of(const GemmArgs& args, int axis) {
  return axis < 0 ? 1 : args.batch_shape[axis];
}

bool are_aligned(const GemmArgs& args, const GemmArgs::Matrix& x) {
  constexpr uint64_t kAlignment = 16;
  uint64_t all = reinterpret_cast<uintptr_t>(x.data);
  for (int axis = 0; axis < args.batch_ndim; ++axis) {
    all |= static_cast<uint64_t>(x.batch_strides[axis]);
  }
  return all % kAlignment == 0;
}

}  // namespace

bool suits_pointers(const GemmArgs& args, bool uses_tensor_cores,
                    int multiprocessors) {
  // The elements of C, on each side, that a block of cuBLAS usually computes.
  constexpr int64_t kTile = 128;
  const int64_t count = extent_of(args, longest_axis(args));
  if (count == args.batch) return false;
  const auto tiles = [](int64_t extent) {
    return (extent + kTile - 1) / kTile;
  };
  const int64_t blocks = count * tiles(args.m) * tiles(args.n);
  return blocks < 2 * multiprocessors &&
         args.batch <= std::numeric_limits<int32_t>::max() &&
         (!uses_tensor_cores ||
          (are_aligned(args, args.a) && are_aligned(args, args.b) &&
           are_aligned(args, args.c)));
}

void visit_gemm_batches(const GemmArgs& args,
                        absl::FunctionRef<void(const GemmBatch& batch)> visit) {
  const int axis = longest_axis(args);
  const int64_t item = item_size(args.dtype);
  GemmBatch batch{};
  batch.count = extent_of(args, axis);
  if (axis >= 0) {
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
