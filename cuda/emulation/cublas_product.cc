#include "catena/cuda/emulation/cublas_product.h"

#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/core/float16.h"

namespace catena::cuda::emulation {
namespace {

CBLAS_TRANSPOSE order(const Matrix& x) {
  return x.transposed ? CblasTrans : CblasNoTrans;
}

template <class T>
void call_blas(const Gemm& gemm, const T* a, int64_t lda, const T* b,
               int64_t ldb, T* c, int64_t ldc) {
  const auto blas = [] {
    if constexpr (std::is_same_v<T, float>) {
      return cblas_sgemm;
    } else {
      return cblas_dgemm;
    }
  }();
  const auto to_int = [](int64_t x) { return static_cast<blasint>(x); };
  blas(CblasColMajor, order(gemm.a), order(gemm.b), to_int(gemm.m),
       to_int(gemm.n), to_int(gemm.k), static_cast<T>(gemm.alpha), a,
       to_int(lda), b, to_int(ldb), static_cast<T>(gemm.beta), c, to_int(ldc));
}

template <class T>
T* item(const Matrix& x, int64_t i) {
  return reinterpret_cast<T*>(x.data) + i * x.stride;
}

// The elements of matrix i in float32, without gaps.
template <class T>
std::vector<float> widened(const Matrix& x, int64_t i, int64_t rows,
                           int64_t columns) {
  if (x.transposed) std::swap(rows, columns);
  std::vector<float> result;
  result.reserve(static_cast<size_t>(rows * columns));
  for (int64_t column = 0; column < columns; ++column) {
    const T* from = item<T>(x, i) + column * x.ld;
    result.insert(result.end(), from, from + rows);
  }
  return result;
}

// The nearest number with 10 bits of mantissa, ties to even.
float as_tf32(float x) {
  if (!std::isfinite(x)) return x;
  auto bits = std::bit_cast<uint32_t>(x);
  bits += 0xfff + ((bits >> 13) & 1);
  return std::bit_cast<float>(bits & ~uint32_t{0x1fff});
}

// float32 whose factors are rounded. Converts as other numbers do.
struct Tf32 {
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator float() const { return as_tf32(value); }
  // NOLINTNEXTLINE(google-explicit-constructor)
  Tf32(float x) : value(x) {}
  float value;
};

// Sums and biases are not rounded to TF32.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, Tf32>, float, T>;

// The sums of the columns of op(B), each rounded once.
template <class T>
void sum_columns(const Gemm& gemm) {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  using S = Stored<T>;
  auto* const sums = reinterpret_cast<S*>(gemm.b_sums);
  const S* const b = item<S>(gemm.b, 0);
  for (int64_t column = 0; column < gemm.n; ++column) {
    Sum sum = 0;
    for (int64_t i = 0; i < gemm.k; ++i) {
      sum += static_cast<Sum>(gemm.b.transposed ? b[i * gemm.b.ld + column]
                                                : b[column * gemm.b.ld + i]);
    }
    sums[column] = static_cast<S>(sum);
  }
}

template <class T>
void multiply(const Gemm& gemm) {
  if (gemm.b_sums != nullptr) sum_columns<T>(gemm);
  const auto* const bias = reinterpret_cast<const Stored<T>*>(gemm.bias);
  for (int64_t i = 0; i < gemm.batch; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      call_blas<T>(gemm, item<T>(gemm.a, i), gemm.a.ld, item<T>(gemm.b, i),
                   gemm.b.ld, item<T>(gemm.c, i), gemm.c.ld);
      for (int64_t x = 0; bias != nullptr && x < gemm.m * gemm.n; ++x) {
        const int64_t row = x % gemm.m;
        item<T>(gemm.c, i)[x / gemm.m * gemm.c.ld + row] += bias[row];
      }
    } else {
      const auto a = widened<T>(gemm.a, i, gemm.m, gemm.k);
      const auto b = widened<T>(gemm.b, i, gemm.k, gemm.n);
      std::vector<float> c(static_cast<size_t>(gemm.m * gemm.n));
      if (gemm.beta != 0) c = widened<Stored<T>>(gemm.c, i, gemm.m, gemm.n);
      call_blas<float>(gemm, a.data(), gemm.a.transposed ? gemm.k : gemm.m,
                       b.data(), gemm.b.transposed ? gemm.n : gemm.k, c.data(),
                       gemm.m);
      for (int64_t x = 0; bias != nullptr && x < gemm.m * gemm.n; ++x) {
        c[x] += static_cast<float>(bias[x % gemm.m]);
      }
      for (int64_t column = 0; column < gemm.n; ++column) {
        const float* from = c.data() + column * gemm.m;
        std::transform(from, from + gemm.m,
                       item<T>(gemm.c, i) + column * gemm.c.ld,
                       [](float x) { return T(x); });
      }
    }
  }
}

}  // namespace

Multiply* find_multiply(cudaDataType type, cublasComputeType_t compute_type) {
  if (compute_type == CUBLAS_COMPUTE_64F) {
    return type == CUDA_R_64F ? multiply<double> : nullptr;
  }
  if (compute_type == CUBLAS_COMPUTE_32F_FAST_TF32) {
    return type == CUDA_R_32F ? multiply<Tf32> : nullptr;
  }
  if (compute_type != CUBLAS_COMPUTE_32F) return nullptr;
  switch (type) {
    case CUDA_R_32F:
      return multiply<float>;
    case CUDA_R_16F:
      return multiply<float16>;
    case CUDA_R_16BF:
      return multiply<bfloat16>;
    default:
      return nullptr;
  }
}

bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T ||
         operation == CUBLAS_OP_C;
}

bool has_valid_extents(const Gemm& gemm) {
  const auto is_wide = [](const Matrix& x, int64_t rows, int64_t columns) {
    return x.ld >= std::max<int64_t>(1, x.transposed ? columns : rows);
  };
  return gemm.m >= 0 && gemm.n >= 0 && gemm.k >= 0 && gemm.batch >= 0 &&
         is_wide(gemm.a, gemm.m, gemm.k) && is_wide(gemm.b, gemm.k, gemm.n) &&
         is_wide(gemm.c, gemm.m, gemm.n) &&
         // Products that overwrite each other.
         (gemm.batch <= 1 || gemm.c.stride != 0);
}

bool fits_blas(const Gemm& gemm) {
  return std::max({gemm.m, gemm.n, gemm.k, gemm.a.ld, gemm.b.ld, gemm.c.ld}) <=
         std::numeric_limits<blasint>::max();
}

}  // namespace catena::cuda::emulation
