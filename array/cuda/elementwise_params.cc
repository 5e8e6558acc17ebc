#include "catena/array/cuda/elementwise_params.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "catena/cuda/launch_shape.h"

namespace catena::cuda {
namespace {

constexpr int64_t kMax = std::numeric_limits<int32_t>::max();

// The distance in bytes between an operand's first and last element along the
// axis.
int64_t span(const ElementwiseArgs& args, int operand, int axis) {
  return std::abs(args.operands[operand].strides[axis]) *
         (args.shape[axis] - 1);
}

// The axis with the largest range of indices or of an operand's addresses.
int widest_axis(const ElementwiseArgs& args) {
  int widest = 0;
  int64_t max = 0;
  int64_t elements = 1;  // of the axes further inside
  for (int axis = args.ndim - 1; axis >= 0; --axis) {
    int64_t range = elements * (args.shape[axis] - 1);
    for (int k = 0; k < args.noperands; ++k) {
      range = std::max(range, span(args, k, axis));
    }
    if (range > max) {
      max = range;
      widest = axis;
    }
    elements *= args.shape[axis];
  }
  return widest;
}

template <class Operand>
void set_source(const ElementwiseArgs::Pointer& pointer, Operand& operand) {
  operand.data = pointer.is_immediate ? nullptr : pointer.data;
  if (pointer.is_immediate) {
    std::memcpy(operand.immediate, pointer.immediate,
                sizeof(operand.immediate));
  }
}

}  // namespace

bool is_flat(const ElementwiseArgs& args, const ElementwiseTypes& types) {
  if (args.ndim != 1) return false;
  for (int k = 0; k < args.noperands; ++k) {
    const ElementwiseArgs::Pointer& pointer = args.operands[k];
    if (pointer.is_immediate) continue;
    const int64_t item = types.item_sizes[k];
    const bool repeated = pointer.strides[0] == 0 && k < types.ninputs;
    if (repeated) continue;
    const auto address = reinterpret_cast<uintptr_t>(pointer.data);
    if (address % static_cast<uintptr_t>(item * types.pack_size()) != 0) {
      return false;
    }
    if (pointer.strides[0] != item && args.size != 1) return false;
  }
  return true;
}

FlatParams make_flat_params(const ElementwiseArgs& args,
                            const ElementwiseTypes& types,
                            int multiprocessors) {
  FlatParams params{};
  params.size = args.size;
  // Few elements are better spread over all multiprocessors, which four blocks
  // each keep busy, than read several at a time.
  const int64_t threads = int64_t{multiprocessors} * 4 * kBlockThreads;
  params.thread_packs = static_cast<int>(std::clamp<int64_t>(
      args.size / types.pack_size() / threads, 1, types.packs_per_thread()));
  for (int k = 0; k < args.noperands; ++k) {
    const ElementwiseArgs::Pointer& pointer = args.operands[k];
    set_source(pointer, params.operands[k]);
    params.operands[k].repeated =
        pointer.is_immediate || (pointer.strides[0] == 0 && k < types.ninputs);
  }
  return params;
}

int64_t flat_blocks(const FlatParams& params, const ElementwiseTypes& types) {
  const int64_t packs = params.size / types.pack_size();
  return std::max<int64_t>(
      ceil_divide(packs, int64_t{params.thread_packs} * kBlockThreads), 1);
}

bool fits_32_bits(const ElementwiseArgs& args) {
  if (args.size > kMax) return false;
  for (int k = 0; k < args.noperands; ++k) {
    int64_t bytes = 0;
    for (int axis = 0; axis < args.ndim; ++axis) bytes += span(args, k, axis);
    if (bytes > kMax) return false;
  }
  return true;
}

StridedParams make_strided_params(const ElementwiseArgs& args) {
  StridedParams params{};
  params.size = static_cast<uint32_t>(args.size);
  params.ndim = args.ndim;
  for (int axis = 0; axis < args.ndim; ++axis) {
    params.extents[axis] = FastDivider(static_cast<uint32_t>(args.shape[axis]));
  }
  for (int k = 0; k < args.noperands; ++k) {
    const ElementwiseArgs::Pointer& pointer = args.operands[k];
    set_source(pointer, params.operands[k]);
    for (int axis = 0; axis < args.ndim; ++axis) {
      // The stride of an axis of extent 1 is irrelevant.
      params.operands[k].strides[axis] =
          args.shape[axis] > 1 ? static_cast<int32_t>(pointer.strides[axis])
                               : 0;
    }
  }
  return params;
}

void visit_32_bit_parts(
    const ElementwiseArgs& args,
    absl::FunctionRef<void(const ElementwiseArgs& part)> visit) {
  if (fits_32_bits(args)) {
    visit(args);
    return;
  }
  const int axis = widest_axis(args);
  const int64_t extent = args.shape[axis];
  for (const bool second : {false, true}) {
    ElementwiseArgs part = args;
    part.shape[axis] = second ? extent - extent / 2 : extent / 2;
    part.size = args.size / extent * part.shape[axis];
    for (int k = 0; second && k < args.noperands; ++k) {
      ElementwiseArgs::Pointer& pointer = part.operands[k];
      if (!pointer.is_immediate) {
        pointer.data += pointer.strides[axis] * (extent / 2);
      }
    }
    visit_32_bit_parts(part, visit);
  }
}

}  // namespace catena::cuda
