// Products of batches, on every device.

#include <gtest/gtest.h>

#include <cstdint>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/float32_precision.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena::array {
namespace {

using testing::IsArray;

class BatchedProductTest : public testing::DeviceDtypeTest {
 protected:
  // Integers from -3 to 3, whose products and short sums are exact.
  Array small_integers(const Shape& shape, int64_t shift) const {
    const Array numbers = arange(size_of(shape), Dtype::kInt64) * 5 + shift;
    return (array::remainder(numbers, 7) - 3).astype(dtype()).reshape(shape);
  }

  // Compares with the products of the single matrices.
  static void expect_products(const Array& a, const Array& b, const Array& y,
                              const MatmulOptions& options = {}) {
    for (int64_t i = 0; i < y.shape()[0]; ++i) {
      for (int64_t j = 0; j < y.shape()[1]; ++j) {
        EXPECT_THAT((y[{i, j}]), IsArray(matmul(a[{i, j}].copy(),
                                                b[{i, j}].copy(), options)));
      }
    }
  }
};

// The queries, keys and values of a transformer's heads, which lie beside each
// other: (steps, 3, heads, units) for each of a batch.
TEST_P(BatchedProductTest, OfViewsWhoseAxesDoNotMerge) {
  for (const int64_t units : {8, 3}) {
    const Array all = small_integers({3, 5, 3, 2, units}, 1);
    const Array parts = all.transpose({2, 0, 3, 1, 4});
    const Array q = parts[0];
    const Array k = parts[1];
    const Array v = parts[2];
    const Array weights = matmul(q, k, {.transb = true});
    expect_products(q, k, weights, {.transb = true});
    expect_products(weights, v, matmul(weights, v));
    expect_products(weights, q, matmul(weights, q, {.transa = true}),
                    {.transa = true});
  }
}

TEST_P(BatchedProductTest, AddToOutputsWhoseAxesDoNotMerge) {
  const Array a = small_integers({2, 3, 4, 8}, 0);
  const Array b = small_integers({3, 2, 8, 8}, 3).transpose({1, 0, 2, 3});
  const Array out = full({2, 4, 3, 8}, 2, dtype()).transpose({0, 2, 1, 3});
  const Array expected =
      add(multiply(matmul(a, b), 0.5), full({1}, 4, dtype()));
  gemm(a, b, out, {.alpha = 0.5, .beta = 2});
  EXPECT_THAT(out, IsArray(expected));
}

TEST_P(BatchedProductTest, OfReversedAndRepeatedMatrices) {
  const Array a = small_integers({4, 2, 3, 8}, 0)[{Slice({}, {}, -1)}];
  const Array b = small_integers({1, 2, 8, 8}, 2).broadcast_to({4, 2, 8, 8});
  expect_products(a, b, matmul(a, b));
}

TEST_P(BatchedProductTest, WithTf32) {
  const Float32PrecisionScope scope(Float32Precision::kTf32);
  const Array a = small_integers({3, 2, 4, 8}, 0);
  const Array b = small_integers({2, 3, 8, 8}, 3).transpose({1, 0, 2, 3});
  expect_products(a, b, matmul(a, b));
}

INSTANTIATE_TEST_SUITE_P(All, BatchedProductTest,
                         testing::every_device_and_float_dtype(),
                         testing::device_dtype_name);

}  // namespace
}  // namespace catena::array
