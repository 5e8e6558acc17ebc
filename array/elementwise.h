#pragma once

#include <cstdint>
#include <span>

#include "catena/array/array.h"
#include "catena/array/kernel_slot.h"

// The elementwise machinery between routines and kernels. A routine settles
// dtypes and shapes and hands over arrays; plan_elementwise folds them into
// the fewest loops; the kernel of the device runs them. A routine that knows
// its arrays to lie alike fills ElementwiseArgs by itself.
namespace catena::array {

inline constexpr int kMaxOperands = 8;

// One elementwise call in its simplest form: operands in the order of the
// functor's arguments (inputs, then outputs), all walked by the same loops.
struct ElementwiseArgs {
  struct Pointer {
    char* data;
    int64_t strides[kMaxDims];  // bytes; 0 along broadcast axes
    // A number that travels in the call instead of in an array: its bytes, at
    // which `data` then points on the host. A device reads its own copy.
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

  // A call of one loop over `n` items. Its operands are added after it, in
  // their order.
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
  // An array without gaps.
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

// Whether one loop walks both arrays: their shapes are equal, and neither has
// gaps.
inline bool lie_alike(const Array& a, const Array& b) {
  return a.is_contiguous() && b.is_contiguous() && a.shape() == b.shape();
}

using ElementwiseLoopFn = void(const ElementwiseArgs& args);
// A kernel for each dtype of the functor's argument T.
using ElementwiseTable = DtypeTable<ElementwiseLoopFn>;

// What families of elementwise operations are (kernel_slot.h).
struct ElementwiseFamily {
  using Kernel = ElementwiseLoopFn;
  using Table = ElementwiseTable;
};

// What a routine hands over for each operand of the functor: an array, or a
// number in the type of the functor's argument.
class KernelOperand {
 public:
  KernelOperand() = default;
  KernelOperand(const Array& array) : array_(&array) {}
  // The number as an item of `dtype`. DtypeError naming `operation`.
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

// Folds operands that broadcast to the shape of the last one. Axes of extent 1
// go, the rest are sorted so that the last operand's strides fall, and axes
// that every operand walks as one are merged.
void plan_elementwise(std::span<const KernelOperand> operands, const void* op,
                      ElementwiseArgs& args);

// The slot's kernel of `dtype`. NotImplementedError when none is linked for the
// device, DtypeError when the operation is not offered in dtype.
inline ElementwiseLoopFn* find_elementwise_kernel(
    const KernelSlot<ElementwiseTable>& slot, Device device, Dtype dtype) {
  ElementwiseLoopFn* kernel = slot.on(device)[dtype];
  if (kernel == nullptr) raise_not_offered(slot.name, dtype);
  return kernel;
}

// Runs the slot's kernel of `dtype` over the operands (inputs, then outputs);
// their dtypes and devices are the caller's promise. DtypeError when the
// operation is not offered in dtype.
void run_elementwise(const KernelSlot<ElementwiseTable>& slot, Dtype dtype,
                     std::span<const KernelOperand> operands, const void* op);

// DeviceError naming the operation and both devices unless all are on one.
Device common_device(std::span<const Array* const> operands,
                     std::string_view operation);

}  // namespace catena::array
