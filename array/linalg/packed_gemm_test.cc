#include "catena/array/linalg/packed_gemm.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "catena/array/cpu/parallel.h"
#include "catena/tests/support/cpu_target_test.h"

namespace catena::array {
namespace {

template <class T>
constexpr T kUntouched = 77;

// A row-major matrix with padding between rows, but none after the last one.
template <class T>
struct Matrix {
  Matrix(int64_t rows, int64_t columns, T value)
      : ld(columns + 3), values((rows - 1) * ld + columns, value) {}
  char* data() { return reinterpret_cast<char*>(values.data()); }
  T& at(int64_t i, int64_t j) { return values[i * ld + j]; }
  int64_t ld;
  std::vector<T> values;
};

std::mt19937 generator(5);

// -2 to 2, so that all sums are exact.
template <class T>
Matrix<T> integers(int64_t rows, int64_t columns) {
  Matrix<T> matrix(rows, columns, 0);
  for (T& value : matrix.values) {
    value = static_cast<T>(static_cast<int>(generator() % 5) - 2);
  }
  return matrix;
}

template <class T>
Matrix<T> reals(int64_t rows, int64_t columns) {
  Matrix<T> matrix(rows, columns, 0);
  std::normal_distribution<T> normal;
  for (T& value : matrix.values) value = normal(generator);
  return matrix;
}

struct Size {
  int64_t m, n, k;
};

struct Options {
  double alpha = 1;
  double beta = 0;
  bool has_bias = false;
};

using Parameter = std::tuple<KernelTarget, Dtype, bool, bool>;

class PackedGemmTest : public testing::CpuTargetGuardedTest,
                       public ::testing::WithParamInterface<Parameter> {
 protected:
  void SetUp() override {
    enter(std::get<0>(GetParam()));
    if (IsSkipped()) return;
    if (kernel_slot<PackedGemm>.on(Device()).float32 == nullptr) {
      GTEST_SKIP() << "BLAS is used for this instruction set";
    }
  }

  bool a_transposed() const { return std::get<2>(GetParam()); }
  bool b_transposed() const { return std::get<3>(GetParam()); }

  template <class T>
  void multiply(const Size& size, const Options& options, Matrix<T>& a,
                Matrix<T>& b, Matrix<T>& bias, Matrix<T>& c) const {
    GemmArgs args = {};
    args.m = size.m;
    args.n = size.n;
    args.k = size.k;
    args.alpha = options.alpha;
    args.beta = options.beta;
    args.a.ld = a.ld;
    args.a.transposed = a_transposed();
    args.b.ld = b.ld;
    args.b.transposed = b_transposed();
    args.c.ld = c.ld;
    if (options.has_bias) args.bias = bias.data();
    const PackedGemm& packed = kernel_slot<PackedGemm>.on(Device());
    packed.kernel<T>()(args, a.data(), b.data(), c.data());
  }

  void check(const Size& size, const Options& options = {}) const {
    SCOPED_TRACE(std::to_string(size.m) + " x " + std::to_string(size.n) +
                 " x " + std::to_string(size.k));
    if (std::get<1>(GetParam()) == Dtype::kFloat32) {
      check_as<float>(size, options);
    } else {
      check_as<double>(size, options);
    }
  }

  template <class T>
  void check_as(const Size& size, const Options& options) const {
    const auto [m, n, k] = size;
    Matrix<T> a = a_transposed() ? integers<T>(k, m) : integers<T>(m, k);
    Matrix<T> b = b_transposed() ? integers<T>(n, k) : integers<T>(k, n);
    Matrix<T> bias = integers<T>(1, n);
    Matrix<T> c(m, n, kUntouched<T>);
    Matrix<T> expected = c;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const auto before = static_cast<T>((i + j) % 7);
        T sum = 0;
        for (int64_t l = 0; l < k; ++l) {
          sum += (a_transposed() ? a.at(l, i) : a.at(i, l)) *
                 (b_transposed() ? b.at(j, l) : b.at(l, j));
        }
        c.at(i, j) =
            options.beta == 0 ? std::numeric_limits<T>::quiet_NaN() : before;
        expected.at(i, j) = static_cast<T>(options.alpha) * sum;
        if (options.beta != 0) {
          expected.at(i, j) += static_cast<T>(options.beta) * before;
        }
        if (options.has_bias) expected.at(i, j) += bias.at(0, j);
      }
    }
    multiply(size, options, a, b, bias, c);
    EXPECT_EQ(c.values, expected.values);
  }

  // The product of real numbers with so many threads.
  template <class T>
  std::vector<T> product(const Size& size, int threads) const {
    const auto [m, n, k] = size;
    generator.seed(7);
    Matrix<T> a = a_transposed() ? reals<T>(k, m) : reals<T>(m, k);
    Matrix<T> b = b_transposed() ? reals<T>(n, k) : reals<T>(k, n);
    Matrix<T> bias = reals<T>(1, n);
    Matrix<T> c = reals<T>(m, n);
    set_num_threads(threads);
    multiply(size, {.alpha = 0.3, .beta = 0.7}, a, b, bias, c);
    return c.values;
  }
};

TEST_P(PackedGemmTest, AnyNumberOfRows) {
  for (int64_t m = 1; m <= 50; ++m) check({m, 35, 18});
  check({193, 30, 33});
  check({400, 150, 33});
}

TEST_P(PackedGemmTest, AnyNumberOfColumns) {
  for (int64_t n = 1; n <= 70; ++n) check({13, n, 9});
  for (const int64_t n : {127, 128, 129, 200}) check({20, n, 9});
}

TEST_P(PackedGemmTest, MoreColumnsThanArePackedAtATime) {
  check({13, 2047, 5});
  check({7, 4100, 3});
}

TEST_P(PackedGemmTest, SumsOfAnyLength) {
  for (const int64_t k : {1, 2, 3, 4, 5, 127, 128, 129, 255, 256, 257, 600}) {
    check({14, 40, k});
    check({14, 140, k});
  }
}

TEST_P(PackedGemmTest, ScalesAndAdds) {
  for (const Size& size : {Size{3, 70, 20}, {20, 137, 600}}) {
    check(size, {.beta = 1});
    check(size, {.alpha = 2, .beta = 0.5});
    check(size, {.alpha = -1});
    check(size, {.alpha = 2, .has_bias = true});
  }
}

// Also where the threads' parts begin within a tile of one thread.
TEST_P(PackedGemmTest, SameBitsForAnyNumberOfThreads) {
  const int threads = get_num_threads();
  const auto check_bits = [&]<class T>(T) {
    for (const Size& size : {Size{200, 170, 300},
                             {50, 1000, 90},
                             {1000, 50, 90},
                             {13, 17, 9000}}) {
      const std::vector<T> expected = product<T>(size, 1);
      for (const int count : {2, 3, 5, 16}) {
        EXPECT_EQ(product<T>(size, count), expected) << count << " threads";
      }
    }
  };
  if (std::get<1>(GetParam()) == Dtype::kFloat32) {
    check_bits(0.0f);
  } else {
    check_bits(0.0);
  }
  set_num_threads(threads);
}

std::string name(const ::testing::TestParamInfo<Parameter>& info) {
  const auto& [target, dtype, a_transposed, b_transposed] = info.param;
  return std::string(kernel_target_name(target)) +
         (dtype == Dtype::kFloat32 ? "_float32" : "_float64") +
         (a_transposed ? "_transposed" : "_plain") +
         (b_transposed ? "_transposed" : "_plain");
}

INSTANTIATE_TEST_SUITE_P(
    All, PackedGemmTest,
    ::testing::Combine(testing::every_cpu_target(),
                       ::testing::Values(Dtype::kFloat32, Dtype::kFloat64),
                       ::testing::Bool(), ::testing::Bool()),
    name);

}  // namespace
}  // namespace catena::array
