#include "catena/array/elementwise.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

void add_immediate(const KernelOperand& operand, ElementwiseArgs& args) {
  std::memcpy(args.add_immediate(), operand.immediate(),
              sizeof(ElementwiseArgs::Pointer::immediate));
}

// The common case needs no merging: all operands are contiguous and of one
// shape, or a single repeated element.
bool plan_flat(std::span<const KernelOperand> operands, ElementwiseArgs& args) {
  const Array& out = operands.back().array();
  for (const KernelOperand& operand : operands) {
    if (!operand.is_array()) {
      add_immediate(operand, args);
    } else if (same_layout(operand.array(), out)) {
      args.add(operand.array());
    } else if (operand.array().size() == 1 && out.is_contiguous()) {
      args.add(operand.array().raw_data(), 0);
    } else {
      return false;
    }
  }
  return true;
}

// Whether axes `outer` and `inner` can be merged for every operand.
bool can_merge(const ElementwiseArgs& args, int outer, int inner) {
  for (int k = 0; k < args.noperands; ++k) {
    const int64_t* strides = args.operands[k].strides;
    if (strides[outer] != strides[inner] * args.shape[inner]) return false;
  }
  return true;
}

void swap_axes(ElementwiseArgs& args, int i, int j) {
  std::swap(args.shape[i], args.shape[j]);
  for (int k = 0; k < args.noperands; ++k) {
    std::swap(args.operands[k].strides[i], args.operands[k].strides[j]);
  }
}

// Whether axis i should be outside axis j: decided by the outputs first.
bool is_outer(const ElementwiseArgs& args, int i, int j) {
  for (int k = args.noperands - 1; k >= 0; --k) {
    const int64_t a = std::abs(args.operands[k].strides[i]);
    const int64_t b = std::abs(args.operands[k].strides[j]);
    if (a != b && a != 0 && b != 0) return a > b;
  }
  return true;  // keeps the order
}

void sort_axes(ElementwiseArgs& args) {
  for (int i = 1; i < args.ndim; ++i) {
    for (int j = i; j > 0 && !is_outer(args, j - 1, j); --j) {
      swap_axes(args, j - 1, j);
    }
  }
}

void merge_axes(ElementwiseArgs& args) {
  int last = 0;
  for (int i = 1; i < args.ndim; ++i) {
    if (can_merge(args, last, i)) {
      args.shape[last] *= args.shape[i];
    } else {
      ++last;
      args.shape[last] = args.shape[i];
    }
    for (int k = 0; k < args.noperands; ++k) {
      args.operands[k].strides[last] = args.operands[k].strides[i];
    }
  }
  args.ndim = last + 1;
}

}  // namespace

void plan_elementwise(std::span<const KernelOperand> operands, const void* op,
                      ElementwiseArgs& args) {
  const Array& out = operands.back().array();
  args.begin(out.device(), out.size(), op);
  if (plan_flat(operands, args)) return;
  const int ndim = out.ndim();
  args.ndim = args.noperands = 0;
  for (int axis = 0; axis < ndim; ++axis) {
    if (out.shape()[axis] != 1) args.shape[args.ndim++] = out.shape()[axis];
  }
  for (const KernelOperand& operand : operands) {
    int64_t* strides = args.operands[args.noperands].strides;
    std::fill_n(strides, kMaxDims, 0);
    if (!operand.is_array()) {
      add_immediate(operand, args);
      continue;
    }
    const Array& a = operand.array();
    args.add(a.raw_data(), 0);
    int kept = 0;
    for (int axis = 0; axis < ndim; ++axis) {
      if (out.shape()[axis] == 1) continue;
      const int own = axis - (ndim - a.ndim());
      if (own >= 0 && a.shape()[own] != 1) strides[kept] = a.strides()[own];
      ++kept;
    }
  }
  if (args.ndim == 0) {  // a single element
    args.ndim = 1;
    args.shape[0] = 1;
    return;
  }
  sort_axes(args);
  merge_axes(args);
}

void raise_not_offered(std::string_view operation, Dtype dtype) {
  raise<DtypeError>(operation, ": not offered for dtype ", dtype);
}

void run_elementwise(const KernelSlot<ElementwiseTable>& slot, Dtype dtype,
                     std::span<const KernelOperand> operands, const void* op) {
  const Device device = operands.back().array().device();
  ElementwiseLoopFn* kernel = find_elementwise_kernel(slot, device, dtype);
  ElementwiseArgs args;
  plan_elementwise(operands, op, args);
  if (args.size > 0) kernel(args);
}

Device common_device(std::span<const Array* const> operands,
                     std::string_view operation) {
  const Device device = operands[0]->device();
  for (const Array* a : operands.subspan(1)) {
    if (a->device() != device) {
      raise<DeviceError>(operation, ": expected operands on one device, got ",
                         device, " and ", a->device());
    }
  }
  return device;
}

}  // namespace catena::array
