#include "catena/functions/math/einsum.h"

#include <gmock/gmock.h>

#include <span>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/math/batch_matmul.h"
#include "catena/functions/math/tensordot.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class EinsumTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Einsum, EinsumTest, testing::every_device(),
                         testing::device_name);

TEST_P(EinsumTest, GradientsMatchFiniteDifferences) {
  const struct {
    std::string_view subscripts;
    std::vector<Shape> shapes;
  } cases[] = {
      {"ij,jk", {{2, 3}, {3, 2}}},
      {" b a -> a b ", {{2, 3}}},
      {"ba", {{2, 3}}},
      {"ii->i", {{3, 3}}},
      {"iij->j", {{2, 2, 3}}},
      {"iji,j->i", {{2, 3, 2}, {3}}},
      {"ij->j", {{2, 3}}},
      {"ij,k->", {{2, 3}, {2}}},
      {"...ij,...jk->...ik", {{2, 1, 2, 3}, {4, 3, 2}}},
      {"i...->...", {{2, 3, 2}}},
      {"...,...", {{2, 3}, {3}}},
      {"ij,ij,j->i", {{2, 3}, {1, 3}, {3}}},
      {",i", {{}, {3}}},
      {"ij,jk->ik", {{2, 0}, {0, 3}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.subscripts);
    std::vector<Array> operands;
    for (const Shape& shape : c.shapes) {
      operands.push_back(
          testing::uniform(shape, -1, 1, Dtype::kFloat64, operands.size()));
    }
    testing::check_function_gradients(
        [&](const Variables& xs) { return einsum(c.subscripts, xs); },
        operands);
  }
}

TEST_P(EinsumTest, TensordotAndBatchMatmulHaveGradients) {
  testing::check_function_gradients(
      [](const Variable& a, const Variable& b) {
        return Variables{tensordot(a, b), tensordot(a, b, {0, -2}, {2, 0}),
                         tensordot(a, b, 0)};
      },
      {testing::uniform({2, 3, 2}), testing::uniform({3, 2, 2})});
  testing::check_function_gradients(
      [](const Variable& a, const Variable& b) {
        return batch_matmul(a, b, {.transa = true});
      },
      {testing::uniform({2, 3}), testing::uniform({2, 3, 2})});
}

TEST(EinsumErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  const Variable narrow(array::zeros({2, 3}, Dtype::kFloat32));
  const Variable cube(array::zeros({2, 3, 4}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                einsum("ij,ij", {x, narrow});
              }),
              HasSubstr("einsum (Forward)"));
  EXPECT_THAT(
      error_of<InvalidType>([] { einsum("ij", std::span<const Variable>()); }),
      HasSubstr("Expect: size(in_types) > 0"));
  EXPECT_THAT(error_of<ShapeError>([&] {
                einsum("ij,jk", {x, x});
              }),
              HasSubstr("einsum"));
  EXPECT_THAT(error_of<ValueError>([&] { einsum("ij->k", {x}); }),
              HasSubstr("einsum"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { tensordot(x, x, 1); }),
      HasSubstr("tensordot (Forward)\n\nExpect: a.shape[1] == b.shape[0]\n"
                "Actual: 3 != 2"));
  EXPECT_THAT(error_of<InvalidType>([&] { tensordot(x, x, 3); }),
              HasSubstr("Expect: a.ndim >= axes"));
  EXPECT_THAT(error_of<ValueError>([&] { tensordot(x, x, -1); }),
              HasSubstr("at least 0 axes, got -1"));
  EXPECT_THAT(error_of<ValueError>([&] {
                tensordot(x, x, {0, 1}, {0});
              }),
              HasSubstr("tensordot"));
  EXPECT_THAT(error_of<ValueError>([&] {
                tensordot(x, x, {0, 0}, {0, 1});
              }),
              HasSubstr("tensordot"));
  EXPECT_THAT(error_of<InvalidType>([&] { tensordot(x, x, {2}, {0}); }),
              HasSubstr("Expect: a.ndim > 2"));
  EXPECT_THAT(error_of<InvalidType>([&] { tensordot(x, narrow, 0); }),
              HasSubstr("tensordot (Forward)"));
  EXPECT_THAT(error_of<InvalidType>(
                  [&] { batch_matmul(Variable(array::zeros({2})), x); }),
              HasSubstr("batch_matmul (Forward)\n\nExpect: a.ndim >= 2"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                batch_matmul(x, Variable(array::zeros({1, 3})));
              }),
              HasSubstr("Expect: a.shape[0] == b.shape[0]"));
  EXPECT_THAT(error_of<InvalidType>([&] { batch_matmul(cube, cube); }),
              HasSubstr("Expect: a.shape[-1] == b.shape[-2]"));
  EXPECT_THAT(error_of<InvalidType>([&] { batch_matmul(x, narrow); }),
              HasSubstr("batch_matmul (Forward)"));
}

}  // namespace
}  // namespace catena::functions
