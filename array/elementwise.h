#pragma once

#include <cstdint>
#include <span>

#include "catena/array/array.h"
#include "catena/array/kernel_slot.h"

// Elementwise operations from routine to kernel. A routine resolves dtypes and
// shapes and passes arrays; plan_elementwise merges their axes into the fewest
// loops; the device's kernel runs them. A routine whose arrays lie_alike()
// fills ElementwiseArgs itself.
namespace catena::array {

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
  // A contiguous array.
  void add(const Array& a) { add(a.raw_data(), a.itemsize()); }
  // A number, which the caller writes to the 8 bytes returned.
  char* add_immediate() {
    Pointer& operand = operands[noperands++];
    operand.data = operand.immediate;
    operand.strides[0] = 0;
    operand.is_immediate = true;
    return operand.immediate;
  }
};

// Whether one loop can walk both arrays: equal shapes, both contiguous.
inline bool lie_alike(const Array& a, const Array& b) {
  return a.is_contiguous() && b.is_contiguous() && a.shape() == b.shape();
}

using ElementwiseLoopFn = void(const ElementwiseArgs& args);
// A kernel for each dtype of the functor's argument T.
using ElementwiseTable = DtypeTable<ElementwiseLoopFn>;

// Base class of families of elementwise operations (kernel_slot.h).
struct ElementwiseFamily {
  using Kernel = ElementwiseLoopFn;
  using Table = ElementwiseTable;
};

// An operand that a routine passes to a functor: an array, or a number of the
// argument's type.
class KernelOperand {
 public:
  KernelOperand() = default;
  KernelOperand(const Array& array) : array_(&array) {}
  // Stores the number as `dtype`. Throws DtypeError naming `operation` if it
  // does not fit.
  KernelOperand(Scalar value, Dtype dtype, std::string_view operation) {
    value.store(immediate_, dtype, operation);
    item_size_ = item_size(dtype);
  }

  bool is_array() const { return array_ != nullptr; }
  const Array& array() const { return *array_; }
  const char* immediate() const { return immediate_; }
  int64_t immediate_size() const { return item_size_; }

 private:
  const Array* array_ = nullptr;
  int64_t item_size_ = 0;
  alignas(8) char immediate_[8];
};

[[noreturn]] void raise_not_offered(std::string_view operation, Dtype dtype);

// Plans the loops over operands that broadcast to the shape of the last one.
// Axes of extent 1 are dropped, the rest are sorted by decreasing stride of the
// last operand, and adjacent axes that one loop can walk in every operand are
// merged.
void plan_elementwise(std::span<const KernelOperand> operands, const void* op,
                      ElementwiseArgs& args);

// The slot's kernel for `dtype`. Throws NotImplementedError if none is linked
// for the device, DtypeError if the operation does not support `dtype`.
inline ElementwiseLoopFn* find_elementwise_kernel(
    const KernelSlot<ElementwiseTable>& slot, Device device, Dtype dtype) {
  ElementwiseLoopFn* kernel = slot.on(device)[dtype];
  if (kernel == nullptr) raise_not_offered(slot.name, dtype);
  return kernel;
}

// Runs the slot's kernel for `dtype` over the operands (inputs, then outputs),
// whose dtypes and devices are not checked. Throws DtypeError if the operation
// does not support `dtype`.
void run_elementwise(const KernelSlot<ElementwiseTable>& slot, Dtype dtype,
                     std::span<const KernelOperand> operands, const void* op);

// The device of all operands. Throws DeviceError naming the operation and both
// devices if they differ.
Device common_device(std::span<const Array* const> operands,
                     std::string_view operation);

}  // namespace catena::array
