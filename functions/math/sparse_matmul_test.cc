#include "catena/functions/math/sparse_matmul.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class SparseMatmulTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(SparseMatmul, SparseMatmulTest,
                         testing::every_device(), testing::device_name);

TEST_P(SparseMatmulTest, GradientsMatchFiniteDifferences) {
  const Array row = array::array({{0, 2, 1, -1}, {1, 1, 0, 0}});
  const Array col = array::array({{1, 0, 1, 0}, {0, 0, 1, -1}});
  for (const bool trans : {false, true}) {
    testing::check_function_gradients(
        [&](const Variable& data, const Variable& dense) {
          const CooMatrix a{data, row, col, {3, 2}};
          return sparse_matmul(a, dense,
                               {.transa = true, .transb = trans, .alpha = 0.5});
        },
        {testing::uniform({2, 4}),
         testing::uniform(trans ? Shape{2, 5, 3} : Shape{2, 3, 5})});
    testing::check_function_gradients(
        [&](const Variable& data, const Variable& dense) {
          const CooMatrix b{data, row, col, {3, 2}};
          return sparse_matmul(dense, b, {.transa = trans, .alpha = -2});
        },
        {testing::uniform({2, 4}),
         testing::uniform(trans ? Shape{2, 3, 5} : Shape{2, 5, 3})});
  }
}

TEST_P(SparseMatmulTest, AgreesWithTheDenseProduct) {
  Array dense = testing::uniform({2, 3, 4});
  dense = array::where(array::greater(dense, 0.3), dense, 0);
  const Array b = testing::uniform({2, 4, 2});
  const CooMatrix sparse = to_coo(dense);
  EXPECT_THAT(sparse_matmul(sparse, Variable(b)).data(),
              testing::IsClose(array::matmul(dense, b)));
  EXPECT_THAT(sparse_matmul(sparse, Variable(b), {.alpha = 3}).data(),
              testing::IsClose(array::matmul(dense, b, {.alpha = 3})));
  const CooMatrix one = to_coo(dense[0], 12);
  EXPECT_EQ(one.data.shape(), Shape({12}));
  EXPECT_THAT(sparse_matmul(one, Variable(b[0])).data(),
              testing::IsClose(array::matmul(dense[0], b[0])));
}

TEST(SparseMatmulErrorTest, NamesWhatDoesNotFit) {
  const Array index = array::array({0, 1});
  const CooMatrix a{Variable(array::zeros({2})), index, index, {2, 3}};
  const Variable b(array::zeros({3, 2}));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        sparse_matmul(a, Variable(array::zeros({2, 2})));
      }),
      HasSubstr("expected 3 rows of the dense operand, got shape (2, 2)"));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        sparse_matmul(a, Variable(array::zeros({3, 2}, Dtype::kFloat32)));
      }),
      HasSubstr("sparse_matmul (Forward)"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                sparse_matmul(a, Variable(array::zeros({1, 3, 2})));
              }),
              HasSubstr("Expect: dense.ndim == data.ndim + 1"));
  CooMatrix wrong = a;
  wrong.shape = {1, 2, 3};
  EXPECT_THAT(
      error_of<InvalidType>([&] { sparse_matmul(wrong, b); }),
      HasSubstr("expected the shape (m, n) of a matrix, got (1, 2, 3)"));
  wrong.shape = a.shape;
  wrong.row = array::zeros({2});
  EXPECT_THAT(
      error_of<InvalidType>([&] { sparse_matmul(wrong, b); }),
      HasSubstr("integers row and col of data's shape (2,), got float64"));
  wrong.row = array::array({0, 2});
  EXPECT_THAT(error_of<IndexError>([&] { sparse_matmul(wrong, b); }),
              HasSubstr("sparse_matmul: expected row below 2, got 2"));
  EXPECT_THAT(error_of<ShapeError>([] { to_coo(array::zeros({3})); }),
              HasSubstr("to_coo"));
  EXPECT_THAT(error_of<ValueError>([] {
                to_coo(array::ones({2, 2}), 3);
              }),
              HasSubstr("at most 3"));
}

}  // namespace
}  // namespace catena::functions
