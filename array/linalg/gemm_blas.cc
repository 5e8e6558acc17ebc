// Products of floats by the libraries.

#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "catena/array/cpu/parallel.h"
#include "catena/array/error.h"
#include "catena/array/linalg/gemm_cpu.h"
#include "catena/array/linalg/thread_limit.h"

namespace catena::array::cpu {
namespace {

// Below so many multiplications OpenBLAS, which has kernels for small matrices,
// is faster than oneDNN; below the larger bound, some 5 microseconds' worth, a
// second thread costs more than it brings.
constexpr int64_t kWorthOneDnn = int64_t{1} << 18;
constexpr int64_t kWorthThreads = int64_t{1} << 19;

// So few rows or columns leave most of oneDNN's blocks empty. It takes a single
// one, a product of matrix and vector, as well as OpenBLAS or better.
constexpr int64_t kNarrow = 16;

// BLAS counts in 32 bits.
blasint to_blas(int64_t value) {
  if (value > std::numeric_limits<blasint>::max()) {
    raise<ShapeError>("gemm: expected extents and strides of at most ",
                      std::numeric_limits<blasint>::max(), ", got ", value);
  }
  return static_cast<blasint>(value);
}

CBLAS_TRANSPOSE blas_order(const GemmArgs::Matrix& x) {
  return x.transposed ? CblasTrans : CblasNoTrans;
}

template <class T, class Blas>
void call_blas(Blas blas, const GemmArgs& args, const char* a, const char* b,
               char* c) {
  const ThreadLimit limit(get_num_threads());
  blas(CblasRowMajor, blas_order(args.a), blas_order(args.b), to_blas(args.m),
       to_blas(args.n), to_blas(args.k), static_cast<T>(args.alpha),
       reinterpret_cast<const T*>(a), to_blas(args.a.ld),
       reinterpret_cast<const T*>(b), to_blas(args.b.ld),
       static_cast<T>(args.beta), reinterpret_cast<T*>(c), to_blas(args.c.ld));
}

char dnnl_order(const GemmArgs::Matrix& x) { return x.transposed ? 'T' : 'N'; }

void call_dnnl(const GemmArgs& args, int threads, const char* a, const char* b,
               char* c) {
  const ThreadLimit limit(threads);
  const dnnl_status_t status = dnnl_sgemm(
      dnnl_order(args.a), dnnl_order(args.b), args.m, args.n, args.k,
      static_cast<float>(args.alpha), reinterpret_cast<const float*>(a),
      args.a.ld, reinterpret_cast<const float*>(b), args.b.ld,
      static_cast<float>(args.beta), reinterpret_cast<float*>(c), args.c.ld);
  if (status == dnnl_out_of_memory) {
    raise<OutOfMemoryError>("gemm: no memory for oneDNN's buffers");
  }
  if (status != dnnl_success) {
    raise<NotImplementedError>("gemm: oneDNN refused the product with status ",
                               static_cast<int>(status));
  }
}

}  // namespace

void multiply_float32(const GemmArgs& args, const char* a, const char* b,
                      char* c) {
  const int64_t work = args.m * args.n * args.k;
  const int64_t width = std::min(args.m, args.n);
  const bool is_narrow = width > 1 && width < kNarrow;
  if (work < kWorthOneDnn || is_narrow) {
    call_blas<float>(cblas_sgemm, args, a, b, c);
  } else {
    call_dnnl(args, work < kWorthThreads ? 1 : get_num_threads(), a, b, c);
  }
}

void multiply_float64(const GemmArgs& args, const char* a, const char* b,
                      char* c) {
  call_blas<double>(cblas_dgemm, args, a, b, c);
}

}  // namespace catena::array::cpu
