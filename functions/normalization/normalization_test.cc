// Normalizations of layers, groups, vectors and neighbours.

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/normalization/group_normalization.h"
#include "catena/functions/normalization/layer_normalization.h"
#include "catena/functions/normalization/local_response_normalization.h"
#include "catena/functions/normalization/normalize.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class NormalizationTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Normalization, NormalizationTest,
                         testing::every_device(), testing::device_name);

TEST_P(NormalizationTest, LayerGradientsMatchFiniteDifferences) {
  const auto function = [](const Variable& x, const Variable& gamma,
                           const Variable& beta) {
    return layer_normalization(x, gamma, beta, {.eps = 0.1});
  };
  const Array gamma = testing::uniform({17}, 0.5, 1.5, Dtype::kFloat64, 1);
  const Array beta = testing::uniform({17}, -1, 1, Dtype::kFloat64, 2);
  testing::check_function_gradients(function,
                                    {testing::uniform({3, 17}), gamma, beta});
  testing::check_function_gradients(function,
                                    {testing::uniform({0, 17}), gamma, beta});
}

TEST_P(NormalizationTest, BatchAxesOfLayersAreRows) {
  const Array x = testing::uniform({2, 3, 4});
  const Array gamma = testing::uniform({4}, 0.5, 1.5, Dtype::kFloat64, 1);
  const Array beta = testing::uniform({4}, -1, 1, Dtype::kFloat64, 2);
  const Variable y = layer_normalization(x, gamma, beta, {.n_batch_axes = 2});
  EXPECT_EQ(y.shape(), x.shape());
  EXPECT_THAT(y.data().reshape(6, 4),
              testing::IsArray(
                  layer_normalization(x.reshape(6, 4), gamma, beta).data()));
}

TEST_P(NormalizationTest, GroupGradientsMatchFiniteDifferences) {
  const auto function = [](const Variable& x, const Variable& gamma,
                           const Variable& beta) {
    return group_normalization(x, 2, gamma, beta, {.eps = 0.1});
  };
  const Array gamma = testing::uniform({4}, 0.5, 1.5, Dtype::kFloat64, 1);
  const Array beta = testing::uniform({4}, -1, 1, Dtype::kFloat64, 2);
  for (const Shape& shape : {Shape{3, 4}, Shape{2, 4, 3}, Shape{2, 4, 5, 4}}) {
    testing::check_function_gradients(function,
                                      {testing::uniform(shape), gamma, beta});
  }
  testing::check_function_gradients(function,
                                    {testing::uniform({0, 4, 2}), gamma, beta},
                                    {.second_order = false});
}

TEST_P(NormalizationTest, NormalizeGradientsMatchFiniteDifferences) {
  for (const AxisSet& axis :
       {AxisSet(1), AxisSet(-1), AxisSet({0, 2}), AxisSet()}) {
    testing::check_function_gradients(
        [&](const Variable& x) {
          return normalize(x, {.eps = 0.1, .axis = axis});
        },
        {testing::uniform({2, 3, 4})});
  }
  testing::check_function_gradients(
      [](const Variable& x) { return normalize(x); },
      {testing::uniform({0, 3})});
}

TEST_P(NormalizationTest, LocalResponseGradientsMatchFiniteDifferences) {
  const auto function = [](const Variable& x) {
    return local_response_normalization(x, {.n = 3, .k = 1, .alpha = 0.5});
  };
  testing::check_function_gradients(function, {testing::uniform({2, 5, 3})});
  testing::check_function_gradients(function, {testing::uniform({2, 4})});
  testing::check_function_gradients(function, {testing::uniform({2, 4, 0})});
}

TEST_P(NormalizationTest, EveryFloatDtypeIsKept) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(testing::uniform({2, 4}, -1, 1, dtype));
    const Variable gamma(testing::uniform({4}, 0.5, 1, dtype, 1));
    const Variable beta(testing::uniform({4}, -1, 1, dtype, 2));
    EXPECT_EQ(layer_normalization(x, gamma, beta).dtype(), dtype);
    EXPECT_EQ(group_normalization(x, 2, gamma, beta).dtype(), dtype);
    EXPECT_EQ(normalize(x).dtype(), dtype);
    EXPECT_EQ(local_response_normalization(x).dtype(), dtype);
  }
}

TEST(NormalizationErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 4}));
  const Variable cube(array::zeros({2, 4, 2}));
  const Variable four(array::ones({4}));
  const Variable two(array::ones({2}));
  const Variable halves(array::ones({4}, Dtype::kFloat16));
  const Variable integers = as_variable(array::zeros({2, 4}, Dtype::kInt32));
  EXPECT_THAT(
      error_of<InvalidType>([&] { layer_normalization(cube, four, four); }),
      HasSubstr("Expect: gamma.shape[0] == x.shape[1]\nActual: 4 != 8"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { layer_normalization(two, two, two); }),
      HasSubstr("Expect: x.ndim == 2"));
  EXPECT_THAT(error_of<ValueError>([&] {
                layer_normalization(x, four, four, {.n_batch_axes = 0});
              }),
              HasSubstr("layer_normalization: expected n_batch_axes of at "
                        "least 1, got 0"));
  EXPECT_THAT(error_of<InvalidType>([&] { layer_normalization(x, four, two); }),
              HasSubstr("Expect: beta.shape[0] == x.shape[1]\nActual: 2 != 4"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { layer_normalization(x, halves, four); }),
      HasSubstr("gamma.dtype == x.dtype"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { layer_normalization(x, four, four, {.eps = -1}); }),
              HasSubstr("got -1"));
  EXPECT_THAT(
      error_of<ValueError>([&] { group_normalization(x, 3, four, four); }),
      HasSubstr("expected groups that divide the channels of x (2, 4), got "
                "3"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { group_normalization(x, 2, two, four); }),
      HasSubstr("gamma.shape[0] == x.shape[1]"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { group_normalization(x, 2, four, four, {.eps = -1}); }),
              HasSubstr("got -1"));
  EXPECT_THAT(error_of<InvalidType>([&] { normalize(integers); }),
              HasSubstr("int32"));
  EXPECT_THAT(error_of<InvalidType>([&] { normalize(x, {.axis = 2}); }),
              HasSubstr("x.ndim > 2"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                normalize(x, {.axis = {0, 2}});
              }),
              HasSubstr("x.ndim > 2"));
  EXPECT_THAT(error_of<ValueError>([&] { normalize(x, {.eps = -1}); }),
              HasSubstr("got -1"));
  EXPECT_THAT(
      error_of<ValueError>([&] { local_response_normalization(x, {.n = 0}); }),
      HasSubstr("got 0"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { local_response_normalization(integers); }),
      HasSubstr("got int32 (2, 4)"));
}

}  // namespace
}  // namespace catena::functions
