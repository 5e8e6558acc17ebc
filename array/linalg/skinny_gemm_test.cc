#include "catena/array/linalg/skinny_gemm.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "catena/array/core/parallel.h"
#include "catena/array/linalg/testing/kernel_product.h"
#include "catena/tests/support/cpu_target_test.h"

namespace catena::array {
namespace {

using Size = testing::ProductSize;

void check(const Size& size, bool is_transposed, double alpha, double beta,
           bool has_bias = false) {
  testing::check_product<float>(kernel_slot<SkinnyGemm>.on(Device()).run, size,
                                {.b_transposed = is_transposed,
                                 .alpha = alpha,
                                 .beta = beta,
                                 .has_bias = has_bias});
}

using TargetAndOrder = std::tuple<KernelTarget, bool>;

class SkinnyGemmTest : public testing::CpuTargetGuardedTest,
                       public ::testing::WithParamInterface<TargetAndOrder> {
 protected:
  void SetUp() override { enter(std::get<0>(GetParam())); }
  bool is_transposed() const { return std::get<1>(GetParam()); }
};

TEST_P(SkinnyGemmTest, AnyNumberOfRows) {
  for (int64_t m = 1; m <= 50; ++m) {
    check({m, 19, 18}, is_transposed(), /*alpha=*/1, /*beta=*/0);
  }
  check({103, 30, 33}, is_transposed(), 1, 0);
}

TEST_P(SkinnyGemmTest, AnyNumberOfColumns) {
  for (int64_t n = 1; n <= 70; ++n) {
    check({5, n, 9}, is_transposed(), /*alpha=*/1, /*beta=*/0);
  }
}

// Up to several times as many as are summed up at once.
TEST_P(SkinnyGemmTest, SumsOfAnyLength) {
  for (const int64_t k :
       {1, 2, 15, 16, 17, 255, 256, 257, 512, 600, 1023, 1024, 1025, 2050}) {
    check({7, 21, k}, is_transposed(), /*alpha=*/1, /*beta=*/0);
  }
}

TEST_P(SkinnyGemmTest, ScalesAndAdds) {
  for (const Size& size : {Size{3, 70, 20}, {20, 37, 1100}}) {
    check(size, is_transposed(), /*alpha=*/1, /*beta=*/1);
    check(size, is_transposed(), /*alpha=*/2, /*beta=*/0.5);
    check(size, is_transposed(), /*alpha=*/-1, /*beta=*/0);
    check(size, is_transposed(), /*alpha=*/2, /*beta=*/0, /*has_bias=*/true);
  }
}

TEST_P(SkinnyGemmTest, WithSeveralThreads) {
  const int threads = get_num_threads();
  for (const int count : {1, 2, 3, 5}) {
    set_num_threads(count);
    check({20, 333, 301}, is_transposed(), /*alpha=*/1, /*beta=*/1);
    check({200, 90, 300}, is_transposed(), /*alpha=*/1, /*beta=*/0,
          /*has_bias=*/true);
  }
  set_num_threads(threads);
}

INSTANTIATE_TEST_SUITE_P(
    All, SkinnyGemmTest,
    ::testing::Combine(testing::every_cpu_target(), ::testing::Bool()),
    [](const auto& info) {
      return std::string(kernel_target_name(std::get<0>(info.param))) +
             (std::get<1>(info.param) ? "_transposed" : "_plain");
    });

}  // namespace
}  // namespace catena::array
