// The slot of matrix products with the CPU's kernels. BLAS selects the
// instruction set itself, so one table serves every target.

#include "catena/array/linalg/gemm_cpu.h"

#include <algorithm>

#include "catena/array/core/parallel.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/linalg/gemm.h"
#include "catena/array/linalg/row_gemm.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// The minimum number of multiplications per thread.
constexpr int64_t kGrain = int64_t{1} << 18;

// A product whose kernel prepares nothing.
template <ProductKernel* product>
class Unprepared {
 public:
  explicit Unprepared(const GemmArgs& args) : args_(args) {}
  void operator()(const char* a, const char* b, char* c) const {
    product(args_, a, b, c);
  }

 private:
  const GemmArgs& args_;
};

// Sequentially if each product is worth all threads, else in parallel; the
// libraries use one thread inside a parallel region.
template <class Product>
void multiply_all(const GemmArgs& args) {
  const auto range = [&](int64_t begin, int64_t end) {
    Product product(args);
    for (int64_t i = begin; i < end; ++i) {
      const ProductAddresses at(args, i);
      product(at.a, at.b, at.c);
    }
  };
  const int64_t work = args.m * args.n * args.k;
  if (args.batch == 1 || work >= 16 * kGrain) return range(0, args.batch);
  catena::cpu::parallel_for(args.batch, std::max<int64_t>(1, 2 * kGrain / work),
                            range);
}

// A product by RowGemm.
template <RowGemm::Kernel* RowGemm::*kernel>
void multiply_rows(const GemmArgs& args, const char* a, const char* b,
                   char* c) {
  (kernel_slot<RowGemm>.on(Device()).*kernel)(args, a, b, c);
}

void multiply_all_in_float32(const GemmArgs& args) {
  if (multiplies_packed(args)) {
    return multiply_all<Unprepared<multiply_packed>>(args);
  }
  multiply_in_float32(args);
}

void multiply_all_float16(const GemmArgs& args) {
  if (RowGemm::suits(args)) {
    return multiply_all<Unprepared<multiply_rows<&RowGemm::float16>>>(args);
  }
  multiply_all_in_float32(args);
}

void multiply_all_bfloat16(const GemmArgs& args) {
  if (RowGemm::suits(args)) {
    return multiply_all<Unprepared<multiply_rows<&RowGemm::bfloat16>>>(args);
  }
  if (multiplies_bfloat16(args)) return multiply_all<BFloat16Product>(args);
  multiply_all_in_float32(args);
}

}  // namespace

template <class T>
struct Loop<Gemm, Gemm, T> {
  static constexpr GemmKernel* run =
      multiply_all<Unprepared<multiply_integers<T>>>;
};
template <>
struct Loop<Gemm, Gemm, float16> {
  static constexpr GemmKernel* run = multiply_all_float16;
};
template <>
struct Loop<Gemm, Gemm, bfloat16> {
  static constexpr GemmKernel* run = multiply_all_bfloat16;
};
template <>
struct Loop<Gemm, Gemm, float> {
  static constexpr GemmKernel* run = multiply_all<Unprepared<multiply_float32>>;
};
template <>
struct Loop<Gemm, Gemm, double> {
  static constexpr GemmKernel* run = multiply_all<Unprepared<multiply_float64>>;
};

template <>
constinit const FusedGemm::Table Kernels<FusedGemm>::table = {};

extern const auto kGemmKernels = register_kernels<Gemm>();

}  // namespace catena::kernels::CATENA_BACKEND
