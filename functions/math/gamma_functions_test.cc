#include "catena/functions/math/gamma_functions.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/support/function_family.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

constexpr testing::UnaryDomain kPositive{.low = 0.5, .high = 3};
constexpr testing::FamilyMember kGammaFunctions[] = {
    {"lgamma", functions::lgamma, kPositive},
    {"digamma", digamma, kPositive},
};

class GammaTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, GammaTest, testing::every_device(),
                         testing::device_name);

TEST_P(GammaTest, HaveGradientsKeepDtypesAndRejectOthers) {
  testing::check_elementwise_family(kGammaFunctions);
  testing::check_elementwise_function(
      [](const Variable& x) { return polygamma(2, x); }, kPositive);
}

TEST_P(GammaTest, GradientsOfPolygammaAndZetaMatchFiniteDifferences) {
  const Array x = testing::uniform({3, 2}, 0.8, 3);
  const Variable n(array::array({{0}, {1}, {3}}));
  testing::check_function_gradients(
      [&](const Variable& v) { return polygamma(n, v); }, {x});
  const Variable s(testing::uniform({2}, 1.5, 4, Dtype::kFloat64, 3));
  testing::check_function_gradients(
      [&](const Variable& q) { return zeta(s, q); }, {x});
  testing::check_function_gradients(
      [&](const Variable& q) { return zeta(s, q); },
      {testing::uniform({0, 2})});
}

Array numbers(const std::vector<double>& values) {
  return array::copy_from(values.data(),
                          Shape{static_cast<int64_t>(values.size())},
                          Dtype::kFloat64)
      .to_device(current_device());
}

// Expected values with 40 digits, by mpmath.
TEST_P(GammaTest, AreAccurate) {
  const testing::Tolerance tolerance{3e-15, 1e-15};
  struct Reference {
    Variable (*function)(const Variable&);
    std::vector<double> x;
    std::vector<double> y;
  };
  const Reference references[] = {
      {functions::lgamma,
       {-2.5, -0.25, 0.0010000000474974513, 0.75, 1.5, 3.0, 10.5, 1000.0},
       {-0.056243716497674051, 1.589575312551186, 6.9071788378590653,
        0.20328095143129537, -0.12078223763524522, 0.69314718055994531,
        13.940625219403764, 5905.2204232091812}},
      {functions::digamma,
       {-10.25, -2.5, -0.125, 0.0010000000474974513, 0.75, 3.0, 9.5, 1000000.0},
       {5.5168584198862733, 1.1031566406452432, 7.1959829284523046,
        -1000.5755244342832, -1.0858608797864722, 0.92278433509846714,
        2.1977378764029495, 13.815510057964191}},
  };
  for (const Reference& reference : references) {
    EXPECT_THAT(reference.function(Variable(numbers(reference.x))).data(),
                testing::IsClose(numbers(reference.y), tolerance));
  }
  const Variable n(numbers({0, 1, 1, 2, 3, 5, 1, 20}));
  const Variable x(numbers({0.75, -1.25, 0.125, 3.0, 12.5, 0.5, 1000.0, 2.5}));
  EXPECT_THAT(
      polygamma(n, x).data(),
      testing::IsClose(numbers({-1.0858608797864722, 19.181879647671606,
                                65.388133444988034, -0.15411380631918857,
                                0.0011534128049134051, 7691.1135486024355,
                                0.0010005001666666333, -10709198259.124132}),
                       {1e-14, 0}));
  const Variable s(numbers({1.125, 2.0, 2.0, 3.5, 8.0, 50.0, 4.0}));
  const Variable q(numbers({0.5, 1.0, -1.5, 12.0, 0.0625, 1.5, 1000000.0}));
  EXPECT_THAT(
      zeta(s, q).data(),
      testing::IsClose(
          numbers({10.140483757876493, 1.6449340668482264, 9.3792466449891238,
                   0.0008894529418800161, 4294967296.6188988,
                   1.5683285454966351e-9, 3.3333383333366667e-19}),
          {1e-14, 0}));
}

TEST_P(GammaTest, AtPolesAndOutsideTheDomain) {
  const double inf = INFINITY;
  const double nan = NAN;
  EXPECT_THAT(functions::lgamma(Variable(numbers({-1, 0, inf, nan}))).data(),
              testing::IsArray(numbers({inf, inf, inf, nan})));
  EXPECT_THAT(digamma(Variable(numbers({-2, 0, inf, nan}))).data(),
              testing::IsArray(numbers({nan, -inf, inf, nan})));
  EXPECT_THAT(polygamma(Variable(numbers({1, 1, -1, 0.5, 1, 1})),
                        Variable(numbers({0, -1, 1, 1, -2e6 - 0.5, nan})))
                  .data(),
              testing::IsArray(numbers({inf, inf, nan, nan, nan, nan})));
  EXPECT_THAT(zeta(Variable(numbers({1, 0.5, 2, 2.5, 2, nan})),
                   Variable(numbers({1, 1, -1, -0.5, inf, 1})))
                  .data(),
              testing::IsArray(numbers({inf, nan, inf, nan, 0, nan})));
}

TEST(GammaErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::ones({2}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                zeta(x, Variable(array::ones({2}, Dtype::kFloat32)));
              }),
              HasSubstr("Expect: x.dtype == q.dtype"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { polygamma(Variable(array::arange(3)), x); }),
      HasSubstr("Expect: shapes that broadcast together"));
}

}  // namespace
}  // namespace catena::functions
