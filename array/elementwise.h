#pragma once

#include <cstdint>
#include <span>

#include "catena/array/array.h"
#include "catena/array/kernels/elementwise_args.h"
#include "catena/array/kernels/kernel_slot.h"

// Elementwise operations from routine to kernel. A routine resolves dtypes and
// shapes and passes arrays; plan_elementwise merges their axes into the fewest
// loops; the device's kernel runs them. A routine whose arrays have the
// same_layout() fills ElementwiseArgs itself.
namespace catena::array {

inline void ElementwiseArgs::add(const Array& a) {
  add(a.raw_data(), a.itemsize());
}

// Whether one loop can walk both arrays: equal shapes, both contiguous.
inline bool same_layout(const Array& a, const Array& b) {
  return a.is_contiguous() && b.is_contiguous() && a.shape() == b.shape();
}

// An operand that a routine passes to a functor: an array, or a number of the
// argument's type.
class KernelOperand {
 public:
  KernelOperand() = default;
  KernelOperand(const Array& array) : array_(&array) {}
  // Stores the number as `dtype`. Throws DtypeError naming `operation` when it
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

// The slot's kernel for `dtype`. Throws NotImplementedError when none is linked
// for the device, DtypeError when the operation does not support `dtype`.
inline ElementwiseLoopFn* find_elementwise_kernel(
    const KernelSlot<ElementwiseTable>& slot, Device device, Dtype dtype) {
  ElementwiseLoopFn* kernel = slot.on(device)[dtype];
  if (kernel == nullptr) raise_not_offered(slot.name, dtype);
  return kernel;
}

// Runs the slot's kernel for `dtype` over the operands (inputs, then outputs),
// whose dtypes and devices are not checked. Throws DtypeError when the
// operation does not support `dtype`.
void run_elementwise(const KernelSlot<ElementwiseTable>& slot, Dtype dtype,
                     std::span<const KernelOperand> operands, const void* op);

// The device of all operands. Throws DeviceError naming the operation and both
// devices when they differ.
Device common_device(std::span<const Array* const> operands,
                     std::string_view operation);

}  // namespace catena::array
