#include "catena/array/linalg/row_gemm.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "catena/array/core/float16.h"
#include "catena/array/core/parallel.h"
#include "catena/array/linalg/testing/kernel_product.h"
#include "catena/tests/support/cpu_target_test.h"

namespace catena::array {
namespace {

using Size = testing::ProductSize;

class RowGemmTest : public testing::CpuTargetTest {
 protected:
  // In each dtype.
  static void check(const Size& size, testing::ProductOptions options = {}) {
    const RowGemm& kernels = kernel_slot<RowGemm>.on(Device());
    options.b_transposed = true;
    testing::check_product<float>(kernels.float32, size, options);
    testing::check_product<float16>(kernels.float16, size, options);
    testing::check_product<bfloat16>(kernels.bfloat16, size, options);
  }
};

TEST_P(RowGemmTest, AnyNumberOfColumns) {
  for (int64_t m = 1; m <= RowGemm::kMaxRows; ++m) {
    for (int64_t n = 1; n <= 40; ++n) check({m, n, 33});
  }
}

// Up to several times as many as are summed up at once.
TEST_P(RowGemmTest, SumsOfAnyLength) {
  for (int64_t k = 1; k <= 150; ++k) {
    check({1 + k % RowGemm::kMaxRows, 3, k});
  }
}

TEST_P(RowGemmTest, ScalesAndAdds) {
  for (const Size& size : {Size{1, 70, 20}, {4, 37, 90}}) {
    check(size, {.alpha = 1, .beta = 1});
    check(size, {.alpha = 2, .beta = 0.5});
    check(size, {.alpha = -1, .beta = 0});
    check(size, {.alpha = 2, .beta = 0, .has_bias = true});
  }
}

TEST_P(RowGemmTest, WithSeveralThreads) {
  const int threads = get_num_threads();
  for (const int count : {1, 2, 3, 5}) {
    set_num_threads(count);
    check({1, 3333, 70});
    check({3, 333, 300}, {.beta = 1});
  }
  set_num_threads(threads);
}

TEST_P(RowGemmTest, SuitsFewRowsAndATransposedSecondMatrix) {
  GemmArgs args = {};
  args.m = RowGemm::kMaxRows;
  args.b.transposed = true;
  EXPECT_TRUE(RowGemm::suits(args));
  args.m = RowGemm::kMaxRows + 1;
  EXPECT_FALSE(RowGemm::suits(args));
  args.m = 1;
  args.a.transposed = true;
  EXPECT_FALSE(RowGemm::suits(args));
  args.a.transposed = false;
  args.b.transposed = false;
  EXPECT_FALSE(RowGemm::suits(args));
}

INSTANTIATE_TEST_SUITE_P(All, RowGemmTest, testing::every_cpu_target(),
                         testing::cpu_target_name);

}  // namespace
}  // namespace catena::array
