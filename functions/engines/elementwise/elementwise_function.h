#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "catena/array/kernels/elementwise_args.h"
#include "catena/autograd/function_node.h"

namespace catena::functions {

// The functor of an elementwise function, a few numbers at most, as bytes.
class FunctorBytes {
 public:
  template <class Op>
  void set(const Op& op) {
    static_assert(sizeof(Op) <= sizeof(bytes_) && alignof(Op) <= 8);
    static_assert(std::is_trivially_copyable_v<Op>);
    new (bytes_) Op(op);
  }
  const void* get() const { return bytes_; }

 private:
  alignas(8) std::byte bytes_[64] = {};
};

// The nodes that compute their only output by one elementwise kernel of the
// inputs, which have its dtype and broadcast to its shape.
class ElementwiseFunction : public FunctionNode {
 public:
  // The kernel, and in `functor` its functor.
  virtual const KernelSlot<array::ElementwiseTable>& kernel(
      FunctorBytes& functor) const = 0;
};

}  // namespace catena::functions
