// Products of float16 matrices that are widened in tiles.

#include <gtest/gtest.h>

#include "catena/array/array.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::array {
namespace {

using catena::testing::IsClose;

Array half(const Shape& shape) {
  return random::normal(0, 1, shape, Dtype::kFloat32).astype(Dtype::kFloat16);
}

// Results up to about 150, rounded once.
auto is_rounded(const Array& wide) {
  return IsClose(wide.astype(Dtype::kFloat16), {.rtol = 2e-3, .atol = 2e-3});
}

Array wide_product(const Array& a, const Array& b, const GemmOptions& options) {
  const Array x = a.astype(Dtype::kFloat32);
  const Array y = b.astype(Dtype::kFloat32);
  return matmul(options.transa ? x.T() : x, options.transb ? y.T() : y);
}

// Sizes just beyond a tile, and beyond two.
TEST(GemmHalfTest, TilesAddUpToTheProduct) {
  random::seed(0);
  for (const bool transa : {false, true}) {
    for (const bool transb : {false, true}) {
      const GemmOptions options = {.transa = transa, .transb = transb};
      const Array a = half(transa ? Shape{2050, 1025} : Shape{1025, 2050});
      const Array b = half(transb ? Shape{1030, 2050} : Shape{2050, 1030});
      const Array c = half({1025, 1030});
      const Array before = c.astype(Dtype::kFloat32);
      const Array wide = wide_product(a, b, options);
      gemm(a, b, c, options);
      EXPECT_THAT(c, is_rounded(wide));
      GemmOptions added = options;
      added.alpha = 0.5;
      added.beta = 2;
      c.assign(before);
      gemm(a, b, c, added);
      EXPECT_THAT(c, is_rounded(wide * 0.5 + before * 2));
    }
  }
}

TEST(GemmHalfTest, ARowTimesALargeMatrix) {
  random::seed(0);
  const Array a = half({1, 1500});
  const Array b = half({2500, 1500});
  const Array c = half({1, 2500});
  gemm(a, b, c, {.transb = true});
  EXPECT_THAT(c, is_rounded(wide_product(a, b, {.transb = true})));
}

TEST(GemmHalfTest, BatchesAreTakenOneByOne) {
  random::seed(0);
  const Array a = half({2, 3, 300, 700});
  const Array b = half({3, 700, 900});
  EXPECT_THAT(matmul(a, b), is_rounded(matmul(a.astype(Dtype::kFloat32),
                                              b.astype(Dtype::kFloat32))));
}

}  // namespace
}  // namespace catena::array
