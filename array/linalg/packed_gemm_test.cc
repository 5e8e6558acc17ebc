#include "catena/array/linalg/packed_gemm.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/linalg/testing/kernel_product.h"
#include "catena/tests/support/cpu_target_test.h"

namespace catena::array {
namespace {

using testing::Matrix;
using testing::ProductOptions;
using Size = testing::ProductSize;

std::mt19937 generator;

template <class T>
Matrix<T> reals(int64_t rows, int64_t columns) {
  Matrix<T> matrix(rows, columns, T(0.0f));
  std::normal_distribution<float> normal;
  for (T& value : matrix.values) value = static_cast<T>(normal(generator));
  return matrix;
}

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

  ProductOptions in_order(ProductOptions options) const {
    options.a_transposed = std::get<2>(GetParam());
    options.b_transposed = std::get<3>(GetParam());
    return options;
  }

  template <class T>
  static PackedGemm::Kernel* kernel() {
    const PackedGemm& packed = kernel_slot<PackedGemm>.on(Device());
    return packed.kernel<T>();
  }

  // Calls f(T()) for the dtype's T.
  template <class F>
  static void with_type(const F& f) {
    switch (std::get<1>(GetParam())) {
      case Dtype::kFloat16:
        return f(float16());
      case Dtype::kBFloat16:
        return f(bfloat16());
      case Dtype::kFloat32:
        return f(0.0f);
      default:
        return f(0.0);
    }
  }

  void check(const Size& size, const ProductOptions& options = {}) const {
    // Only float32's and float64's kernels get one.
    if (options.has_bias &&
        item_size(std::get<1>(GetParam())) == sizeof(float16)) {
      return;
    }
    with_type([&]<class T>(T) {
      testing::check_product<T>(kernel<T>(), size, in_order(options));
    });
  }

  // The product of real numbers with so many threads.
  template <class T>
  std::vector<T> product(const Size& size, int threads) const {
    const auto [m, n, k] = size;
    const ProductOptions options = in_order({.alpha = 0.3, .beta = 0.7});
    generator.seed(7);
    Matrix<T> a = options.a_transposed ? reals<T>(k, m) : reals<T>(m, k);
    Matrix<T> b = options.b_transposed ? reals<T>(n, k) : reals<T>(k, n);
    Matrix<T> bias = reals<T>(1, n);
    Matrix<T> c = reals<T>(m, n);
    set_num_threads(threads);
    testing::multiply(kernel<T>(), size, options, a, b, bias, c);
    return c.values;
  }
};

TEST_P(PackedGemmTest, AnyNumberOfRows) {
  for (int64_t m = 1; m <= 50; ++m) check({m, 35, 18});
  for (const int64_t m : {63, 64, 65, 66}) check({m, 150, 40});
  check({193, 30, 33});
  check({400, 150, 33});
}

TEST_P(PackedGemmTest, AnyNumberOfColumns) {
  for (int64_t n = 1; n <= 70; ++n) check({13, n, 9});
  for (const int64_t n : {125, 127, 128, 129, 200, 253}) check({20, n, 9});
}

TEST_P(PackedGemmTest, MoreColumnsThanArePackedAtATime) {
  check({13, 2047, 5});
  check({7, 4100, 3});
}

// Sums of 16-bit matrices are added up beside C, in parts.
TEST_P(PackedGemmTest, MoreRowsThanAreAddedUpAtATime) {
  check({1600, 20, 5});
  check({1600, 20, 300});
  check({800, 2100, 260}, {.alpha = 0.5, .beta = 2});
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
  with_type([&]<class T>(T) {
    for (const Size& size : {Size{200, 170, 300},
                             {50, 1000, 90},
                             {1000, 50, 90},
                             {13, 17, 9000}}) {
      const std::vector<T> expected = product<T>(size, 1);
      for (const int count : {2, 3, 5, 16}) {
        const std::vector<T> result = product<T>(size, count);
        EXPECT_EQ(std::memcmp(result.data(), expected.data(),
                              expected.size() * sizeof(T)),
                  0)
            << count << " threads";
      }
    }
  });
  set_num_threads(threads);
}

std::string name(const ::testing::TestParamInfo<Parameter>& info) {
  const auto& [target, dtype, a_transposed, b_transposed] = info.param;
  return std::string(kernel_target_name(target)) + "_" +
         std::string(dtype_name(dtype)) +
         (a_transposed ? "_transposed" : "_plain") +
         (b_transposed ? "_transposed" : "_plain");
}

INSTANTIATE_TEST_SUITE_P(
    All, PackedGemmTest,
    ::testing::Combine(testing::every_cpu_target(),
                       ::testing::Values(Dtype::kFloat16, Dtype::kBFloat16,
                                         Dtype::kFloat32, Dtype::kFloat64),
                       ::testing::Bool(), ::testing::Bool()),
    name);

}  // namespace
}  // namespace catena::array
