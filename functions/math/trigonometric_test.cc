#include "catena/functions/math/trigonometric.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/support/function_family.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

constexpr testing::FamilyMember kTrigonometricFunctions[] = {
    {"sin", functions::sin},
    {"cos", functions::cos},
    {"tan", functions::tan},
    {"arcsin", functions::arcsin, {.low = -0.8, .high = 0.8}},
    {"arccos", functions::arccos, {.low = -0.8, .high = 0.8}},
    {"arctan", functions::arctan},
};

class TrigonometricTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, TrigonometricTest, testing::every_device(),
                         testing::device_name);

TEST_P(TrigonometricTest, HaveGradientsKeepDtypesAndRejectOthers) {
  testing::check_elementwise_family(kTrigonometricFunctions);
}

TEST_P(TrigonometricTest, Arctan2GradientsMatchInAllQuadrantsAndBroadcast) {
  testing::check_function_gradients(
      arctan2, {testing::away_from_zero({3, 4}),
                testing::away_from_zero({3, 4}, 0.2, 1, Dtype::kFloat64, 5)});
  testing::check_function_gradients(
      arctan2, {testing::away_from_zero({3, 4}),
                testing::away_from_zero({4}, 0.2, 1, Dtype::kFloat64, 5)});
  testing::check_function_gradients(
      arctan2, {testing::uniform({0, 4}), testing::uniform({4})});
}

TEST_P(TrigonometricTest, OutsideTheDomainIsNan) {
  const Variable x(array::array({-2.0, 2.0}));
  for (const auto function : {arcsin, arccos}) {
    EXPECT_THAT(function(x).data(),
                testing::IsArray(array::array({double(NAN), double(NAN)})));
  }
}

TEST(TrigonometricErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2}));
  EXPECT_THAT(::catena::testing::error_of<InvalidType>(
                  [&] { arctan2(x, Variable(array::zeros({3}))); }),
              ::testing::HasSubstr("Expect: shapes that broadcast together"));
  EXPECT_THAT(::catena::testing::error_of<InvalidType>([&] {
                arctan2(x, Variable(array::zeros({2}, Dtype::kFloat32)));
              }),
              ::testing::HasSubstr("Expect: x1.dtype == x2.dtype"));
}

}  // namespace
}  // namespace catena::functions
