#include "catena/functions/math/error_functions.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/tests/support/function_family.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

constexpr testing::UnaryDomain kInside{.low = -0.8, .high = 0.8};
constexpr testing::FamilyMember kErrorFunctions[] = {
    {"erf", functions::erf},
    {"erfc", functions::erfc},
    {"erfcx", erfcx},
    {"erfinv", erfinv, kInside},
    {"erfcinv", erfcinv, {.low = 0.2, .high = 1.8}},
    {"ndtr", ndtr},
    {"log_ndtr", log_ndtr, {.low = -2, .high = 2}},
    {"ndtri", ndtri, {.low = 0.1, .high = 0.9}},
};

class ErrorFunctionTest : public testing::DeviceDtypeTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ErrorFunctionTest,
                         ::testing::Combine(testing::every_device(),
                                            ::testing::Values(Dtype::kFloat32,
                                                              Dtype::kFloat64)),
                         testing::device_dtype_name);

TEST_P(ErrorFunctionTest, HaveGradientsKeepDtypesAndRejectOthers) {
  testing::check_elementwise_family(kErrorFunctions);
}

// Values with 40 digits, by mpmath, at numbers that are exact in float32.
struct Reference {
  std::string_view name;
  std::vector<double> x;
  std::vector<double> y;
};
const std::vector<Reference>& references() {
  static const std::vector<Reference> kReferences = {
      {"erf",
       {-6.0, -1.5, -1.0, -0.75, -9.999999974752427e-07, 0.25, 0.984375, 1.0625,
        3.0},
       {-0.99999999999999998, -0.96610514647531073, -0.84270079294971487,
        -0.71115563365351513, -1.1283791642462529e-6, 0.27632639016823693,
        0.83611287005039648, 0.86705826943495276, 0.99997790950300141}},
      {"erfc",
       {-6.0, -1.5, -0.25, 0.0010000000474974513, 0.5, 1.0, 2.5, 5.25, 8.75},
       {2.0, 1.9661051464753107, 1.2763263901682369, 0.99887162115543568,
        0.47950012218695346, 0.15729920705028513, 0.00040695201744495894,
        1.1310313266887154e-13, 3.597115728647072e-35}},
      {"erfcx",
       {-5.5, -1.5, -0.25, 0.0010000000474974513, 0.5, 3.0, 12.5, 1000.0,
        999999995904.0},
       {27443409954929.71, 18.653886256262734, 1.3586423701047221,
        0.99887262002765116, 0.61569034419292587, 0.17900115118138995,
        0.044992099001027921, 0.00056418930145338765, 5.6418958585867683e-13}},
      {"erfinv",
       {-0.9990234375, -0.75, -0.5, -9.999999974752427e-07, 0.125, 0.4375,
        0.515625, 0.984375, 0.9999998807907104},
       {-2.3314677736219477, -0.81341984759761854, -0.47693627620446987,
        -8.8622692321548213e-7, 0.11123545184094996, 0.40950827913413152,
        0.4944679650856978, 1.7094723742995115, 3.7439211627767996}},
      {"erfcinv",
       {1.0000000031710769e-30, 9.999999974752427e-07, 0.125, 0.484375, 0.5625,
        0.9375, 1.25, 1.75, 1.9990234375},
       {8.1486162229767203, 3.4589107376308107, 1.0847870400692831,
        0.4944679650856978, 0.40950827913413152, 0.05544594877278202,
        -0.2253120550121781, -0.81341984759761854, -2.3314677736219477}},
      {"ndtr",
       {-12.25, -5.0, -1.5, -0.125, 0.25, 1.0, 4.5},
       {8.3997960636334177e-35, 2.8665157187919391e-7, 0.066807201268858066,
        0.45026177516988711, 0.59870632568292372, 0.84134474606854295,
        0.99999660232687527}},
      {"log_ndtr",
       {-1000.0, -20.5, -3.0, -0.5, 0.25, 2.0, 5.5},
       {-500007.82669481218, -214.0667289632638, -6.6077262215103495,
        -1.1759117615936186, -0.51298407540943043, -0.023012909328963488,
        -1.8989562646189463e-8}},
      {"ndtri",
       {1.0000000031710769e-30, 9.999999974752427e-07, 0.0625, 0.4375, 0.53125,
        0.75, 0.9990234375},
       {-11.464024688169063, -4.7534243093331228, -1.5341205443525463,
        -0.1573106846101707, 0.078412412733112199, 0.67448975019608174,
        3.0972690781987845}},
  };
  return kReferences;
}

Array numbers(const std::vector<double>& values, Dtype dtype) {
  return array::copy_from(values.data(),
                          Shape{static_cast<int64_t>(values.size())},
                          Dtype::kFloat64)
      .astype(dtype)
      .to_device(current_device());
}

const testing::FamilyMember& member_called(std::string_view name) {
  const testing::FamilyMember* member = kErrorFunctions;
  while (member->name != name) ++member;
  return *member;
}

TEST_P(ErrorFunctionTest, AreAccurateInTheTailsToo) {
  const double rtol = dtype() == Dtype::kFloat64 ? 2e-15 : 1e-6;
  for (const Reference& reference : references()) {
    SCOPED_TRACE(reference.name);
    const Variable x(numbers(reference.x, dtype()));
    EXPECT_THAT(member_called(reference.name).function(x).data(),
                testing::IsClose(numbers(reference.y, dtype()), {rtol, 0}));
  }
}

TEST_P(ErrorFunctionTest, AtTheEndsOfTheirDomains) {
  const double inf = INFINITY;
  const double nan = NAN;
  const auto expect = [&](Variable (*function)(const Variable&),
                          const std::vector<double>& x,
                          const std::vector<double>& y) {
    EXPECT_THAT(function(Variable(numbers(x, dtype()))).data(),
                testing::IsArray(numbers(y, dtype())));
  };
  expect(functions::erf, {-inf, 0, inf, nan}, {-1, 0, 1, nan});
  expect(functions::erfc, {-inf, 0, inf, nan}, {2, 1, 0, nan});
  expect(erfcx, {-inf, 0, inf, nan}, {inf, 1, 0, nan});
  expect(erfinv, {-2, -1, 0, 1, 2, nan}, {nan, -inf, 0, inf, nan, nan});
  expect(erfcinv, {-1, 0, 1, 2, 3, nan}, {nan, inf, 0, -inf, nan, nan});
  expect(ndtr, {-inf, 0, inf, nan}, {0, 0.5, 1, nan});
  expect(log_ndtr, {-inf, inf, nan}, {-inf, 0, nan});
  expect(ndtri, {-1, 0, 0.5, 1, 2, nan}, {nan, -inf, 0, inf, nan, nan});
}

// The density over the distribution function, and minus the derivative of the
// other, each a quotient of numbers that are 0 to the computer.
TEST_P(ErrorFunctionTest, GradientsAreAccurateFarOut) {
  const double rtol = dtype() == Dtype::kFloat64 ? 1e-12 : 3e-5;
  const auto expect = [&](Variable (*function)(const Variable&),
                          const std::vector<double>& x,
                          const std::vector<double>& gx) {
    const Variable input(numbers(x, dtype()));
    const Variable y = function(input);
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    EXPECT_THAT(input.grad(),
                testing::IsClose(numbers(gx, dtype()), {rtol, 0}));
  };
  expect(log_ndtr, {-1000, -20, -1, 0, 3, 8},
         {1000.000999998, 20.049753068527851, 1.5251352761609812,
          0.79788456080286536, 0.0044378390421256638, 5.0522710835368954e-15});
  expect(erfcx, {-2, 0.5, 8, 20, 60, 1000},
         {-436.8919967270074, -0.5126888229025867, -0.0086165078814177303,
          -0.0014052174534598012, -0.00015665407434594324,
          -5.6418873726549667e-7});
}

// The branch of log_ndtr that is not taken makes no derivative NaN.
TEST_P(ErrorFunctionTest, SecondGradientsOfLogNdtrAreFiniteFarOut) {
  const Array far = numbers({-60, 0, 60}, dtype());
  const Variable x(far);
  const Variable y = log_ndtr(x);
  y.set_grad(array::ones_like(far));
  y.backward({.enable_double_backprop = true});
  const Variable gx = x.grad_var();
  x.cleargrad();
  gx.set_grad(array::ones_like(far));
  gx.backward();
  // -1 + 1 / x^2 + ..., -2 / pi, 0.
  EXPECT_THAT(
      x.grad(),
      testing::IsClose(
          numbers({-0.99972268411658523, -0.63661977236758134, 0}, dtype()),
          {dtype() == Dtype::kFloat64 ? 1e-8 : 1e-1, 0}));
}

}  // namespace
}  // namespace catena::functions
