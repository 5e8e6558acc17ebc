#pragma once

#include <cstdint>

#include "catena/array/core/device.h"
#include "catena/array/core/max_dims.h"
#include "catena/array/kernels/kernel_slot.h"

// What the kernels of elementwise operations get; array/elementwise.h makes it
// of arrays.
namespace catena {

class Array;

namespace array {

inline constexpr int kMaxOperands = 8;

// One elementwise call in its simplest form: operands in the order of the
// functor's arguments (inputs, then outputs), all walked by the same loops.
struct ElementwiseArgs {
  struct Pointer {
    char* data;
    int64_t strides[kMaxDims];  // bytes; 0 along broadcast axes
    // The bytes of a number passed by value instead of in an array; `data`
    // points here on the host. A device reads its own copy.
    alignas(8) char immediate[8];
    bool is_immediate;
  };

  Device device;
  int ndim;  // at least 1
  int noperands;
  int64_t size;  // the product of shape
  int64_t shape[kMaxDims];
  Pointer operands[kMaxOperands];
  const void* op;  // the functor, whose type the kernel knows

  // Starts a call of one loop over `n` items; the operands are then added in
  // order.
  void begin(Device where, int64_t n, const void* functor) {
    device = where;
    ndim = 1;
    noperands = 0;
    size = shape[0] = n;
    op = functor;
  }
  // Items `stride` bytes apart; 0 repeats one.
  void add(char* data, int64_t stride) {
    Pointer& operand = operands[noperands++];
    operand.data = data;
    operand.strides[0] = stride;
    operand.is_immediate = false;
  }
  // A contiguous array. Defined in array/elementwise.h.
  inline void add(const Array& a);
  // A number, which the caller writes to the 8 bytes returned.
  char* add_immediate() {
    Pointer& operand = operands[noperands++];
    operand.data = operand.immediate;
    operand.strides[0] = 0;
    operand.is_immediate = true;
    return operand.immediate;
  }
};

using ElementwiseLoopFn = void(const ElementwiseArgs& args);
// A kernel for each dtype of the functor's argument T.
using ElementwiseTable = DtypeTable<ElementwiseLoopFn>;

// Base class of families of elementwise operations (kernel_slot.h).
struct ElementwiseFamily {
  using Kernel = ElementwiseLoopFn;
  using Table = ElementwiseTable;
};

}  // namespace array
}  // namespace catena
