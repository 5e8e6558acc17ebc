#pragma once

#include <cstdint>
#include <memory>

#include "catena/array/linalg/gemm.h"

// The matrix products on the CPU that gemm_cpu.cc dispatches to.
namespace catena::kernels::CATENA_BACKEND {

// One product of the batch described by `args`, with matrices at these
// addresses.
using ProductKernel = void(const GemmArgs& args, const char* a, const char* b,
                           char* c);

// The matrices of the product at an index of the batch.
struct ProductAddresses {
  ProductAddresses(const GemmArgs& args, int64_t index)
      : a(args.a.data), b(args.b.data), c(args.c.data) {
    for (int axis = args.batch_ndim - 1; axis >= 0; --axis) {
      const int64_t position = index % args.batch_shape[axis];
      index /= args.batch_shape[axis];
      a += position * args.a.batch_strides[axis];
      b += position * args.b.batch_strides[axis];
      c += position * args.c.batch_strides[axis];
    }
  }

  char* a;
  char* b;
  char* c;
};

// float32 by oneDNN or OpenBLAS, whichever measured faster for that size;
// float64 by OpenBLAS.
ProductKernel multiply_float32;
ProductKernel multiply_float64;

// Whether the processor has instructions for such bfloat16 products, and they
// are worth a call of oneDNN; then BFloat16Product computes each.
bool multiplies_bfloat16(const GemmArgs& args);

// Whether to compute such products of 16-bit floats in float32 without copies
// of whole matrices; then multiply_packed does.
bool multiplies_packed(const GemmArgs& args);
ProductKernel multiply_packed;

class MatmulPrimitive;

// Products of a batch, one at a time: what they share is prepared once.
class BFloat16Product {
 public:
  explicit BFloat16Product(const GemmArgs& args);
  ~BFloat16Product();
  void operator()(const char* a, const char* b, char* c);

 private:
  const GemmArgs& args_;
  std::unique_ptr<MatmulPrimitive> primitive_;
};

// Integers, with wraparound, and bool.
template <class T>
ProductKernel multiply_integers;

// The whole batch for other products of 16-bit floats, computed in float32.
void multiply_in_float32(const GemmArgs& args);

}  // namespace catena::kernels::CATENA_BACKEND
