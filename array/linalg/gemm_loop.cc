// Matrix products of integers and bool, which the libraries lack: a plain loop
// that the compiler vectorizes.

#include <algorithm>
#include <cstdint>

#include "catena/array/core/parallel.h"
#include "catena/array/linalg/gemm_cpu.h"
#include "catena/array/linalg/gemm_integers.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// The number of columns of C accumulated at a time, and of multiplications per
// thread.
constexpr int64_t kColumns = 256;
constexpr int64_t kGrain = 64 << 10;

template <class T>
class LoopProduct {
  using Product = SumOfProducts<T>;
  using Sum = typename Product::Sum;

 public:
  LoopProduct(const GemmArgs& args, const char* a, const char* b, char* c)
      : args_(args),
        a_(reinterpret_cast<const T*>(a)),
        b_(reinterpret_cast<const T*>(b)),
        c_(reinterpret_cast<T*>(c)) {}

  void run() const {
    catena::cpu::parallel_for(
        args_.m, std::max<int64_t>(1, kGrain / (args_.n * args_.k)),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            for (int64_t j = 0; j < args_.n; j += kColumns) {
              block(i, j, std::min(kColumns, args_.n - j));
            }
          }
        });
  }

 private:
  // Row i of C from column j on.
  void block(int64_t i, int64_t j, int64_t n) const {
    Sum sums[kColumns] = {};
    for (int64_t k = 0; k < args_.k; ++k) {
      const Sum a =
          args_.a.transposed ? a_[k * args_.a.ld + i] : a_[i * args_.a.ld + k];
      const T* b =
          b_ + (args_.b.transposed ? j * args_.b.ld + k : k * args_.b.ld + j);
      const int64_t step = args_.b.transposed ? args_.b.ld : 1;
      if (step == 1) {
        for (int64_t l = 0; l < n; ++l)
          sums[l] = Product::add(sums[l], a, b[l]);
      } else {
        for (int64_t l = 0; l < n; ++l) {
          sums[l] = Product::add(sums[l], a, b[l * step]);
        }
      }
    }
    const auto alpha = static_cast<Sum>(static_cast<int64_t>(args_.alpha));
    const auto beta = static_cast<Sum>(static_cast<int64_t>(args_.beta));
    T* c = c_ + i * args_.c.ld + j;
    for (int64_t l = 0; l < n; ++l) {
      const Sum sum = Product::add(0, alpha, sums[l]);
      c[l] = static_cast<T>(beta == 0 ? sum : Product::add(sum, beta, c[l]));
    }
  }

  const GemmArgs& args_;
  const T* a_;
  const T* b_;
  T* c_;
};

}  // namespace

template <class T>
void multiply_integers(const GemmArgs& args, const char* a, const char* b,
                       char* c) {
  LoopProduct<T>(args, a, b, c).run();
}

template ProductKernel multiply_integers<bool>;
template ProductKernel multiply_integers<int8_t>;
template ProductKernel multiply_integers<int16_t>;
template ProductKernel multiply_integers<int32_t>;
template ProductKernel multiply_integers<int64_t>;
template ProductKernel multiply_integers<uint8_t>;
template ProductKernel multiply_integers<uint16_t>;
template ProductKernel multiply_integers<uint32_t>;
template ProductKernel multiply_integers<uint64_t>;

}  // namespace catena::kernels::CATENA_BACKEND
