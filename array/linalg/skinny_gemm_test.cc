#include "catena/array/linalg/skinny_gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "catena/array/cpu/parallel.h"
#include "catena/tests/support/cpu_target_test.h"

namespace catena::array {
namespace {

constexpr float kUntouched = 77;

// A row-major matrix with padding between rows, but none after the last one.
struct Matrix {
  Matrix(int64_t rows, int64_t columns, float value)
      : ld(columns + 3), values((rows - 1) * ld + columns, value) {}
  char* data() { return reinterpret_cast<char*>(values.data()); }
  float& at(int64_t i, int64_t j) { return values[i * ld + j]; }
  int64_t ld;
  std::vector<float> values;
};

// -2 to 2, so that all sums are exact.
Matrix integers(int64_t rows, int64_t columns) {
  static std::mt19937 random(5);
  Matrix matrix(rows, columns, 0);
  for (float& value : matrix.values) {
    value = static_cast<float>(static_cast<int>(random() % 5) - 2);
  }
  return matrix;
}

struct Size {
  int64_t m, n, k;
};

void check(const Size& size, bool is_turned, float alpha, float beta,
           bool has_bias = false) {
  const auto [m, n, k] = size;
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " +
               std::to_string(k) + (is_turned ? " turned" : ""));
  Matrix a = integers(m, k);
  Matrix b = is_turned ? integers(n, k) : integers(k, n);
  Matrix bias = integers(1, n);
  Matrix c(m, n, kUntouched);
  Matrix expected = c;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const auto before = static_cast<float>((i + j) % 7);
      float sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += a.at(i, l) * (is_turned ? b.at(j, l) : b.at(l, j));
      }
      c.at(i, j) = beta == 0 ? std::numeric_limits<float>::quiet_NaN() : before;
      expected.at(i, j) = alpha * sum + (beta == 0 ? 0 : beta * before) +
                          (has_bias ? bias.at(0, j) : 0);
    }
  }
  GemmArgs args = {};
  args.m = m;
  args.n = n;
  args.k = k;
  args.alpha = alpha;
  args.beta = beta;
  args.a.ld = a.ld;
  args.b.ld = b.ld;
  args.b.transposed = is_turned;
  args.c.ld = c.ld;
  if (has_bias) args.bias = bias.data();
  kernel_slot<SkinnyGemm>.on(Device()).run(args, a.data(), b.data(), c.data());
  EXPECT_EQ(c.values, expected.values);
}

using TargetAndOrder = std::tuple<KernelTarget, bool>;

class SkinnyGemmTest : public testing::CpuTargetGuardedTest,
                       public ::testing::WithParamInterface<TargetAndOrder> {
 protected:
  void SetUp() override { enter(std::get<0>(GetParam())); }
  bool is_turned() const { return std::get<1>(GetParam()); }
};

TEST_P(SkinnyGemmTest, AnyNumberOfRows) {
  for (int64_t m = 1; m <= 50; ++m) {
    check({m, 19, 18}, is_turned(), /*alpha=*/1, /*beta=*/0);
  }
  check({103, 30, 33}, is_turned(), 1, 0);
}

TEST_P(SkinnyGemmTest, AnyNumberOfColumns) {
  for (int64_t n = 1; n <= 70; ++n) {
    check({5, n, 9}, is_turned(), /*alpha=*/1, /*beta=*/0);
  }
}

// Up to several times as many as are summed up at once.
TEST_P(SkinnyGemmTest, SumsOfAnyLength) {
  for (const int64_t k :
       {1, 2, 15, 16, 17, 255, 256, 257, 512, 600, 1023, 1024, 1025, 2050}) {
    check({7, 21, k}, is_turned(), /*alpha=*/1, /*beta=*/0);
  }
}

TEST_P(SkinnyGemmTest, ScalesAndAdds) {
  for (const Size& size : {Size{3, 70, 20}, {20, 37, 1100}}) {
    check(size, is_turned(), /*alpha=*/1, /*beta=*/1);
    check(size, is_turned(), /*alpha=*/2, /*beta=*/0.5);
    check(size, is_turned(), /*alpha=*/-1, /*beta=*/0);
    check(size, is_turned(), /*alpha=*/2, /*beta=*/0, /*has_bias=*/true);
  }
}

TEST_P(SkinnyGemmTest, WithSeveralThreads) {
  const int threads = get_num_threads();
  for (const int count : {1, 2, 3, 5}) {
    set_num_threads(count);
    check({20, 333, 301}, is_turned(), /*alpha=*/1, /*beta=*/1);
    check({200, 90, 300}, is_turned(), /*alpha=*/1, /*beta=*/0,
          /*has_bias=*/true);
  }
  set_num_threads(threads);
}

INSTANTIATE_TEST_SUITE_P(
    All, SkinnyGemmTest,
    ::testing::Combine(testing::every_cpu_target(), ::testing::Bool()),
    [](const auto& info) {
      return std::string(kernel_target_name(std::get<0>(info.param))) +
             (std::get<1>(info.param) ? "_turned" : "_plain");
    });

}  // namespace
}  // namespace catena::array
