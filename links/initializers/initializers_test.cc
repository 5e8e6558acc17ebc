#include "catena/links/initializers/initializers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/random.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/tests/support/array_matchers.h"
#include "catena/tests/support/device_test.h"
#include "catena/tests/support/golden.h"

namespace catena::initializers {
namespace {

using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class InitializersTest : public ::catena::testing::DeviceTest {};

TEST_P(InitializersTest, ConstantsAreChainers) {
  const auto check = [&](const std::string& file, auto make) {
    for (const GoldenCase& golden : golden_cases("initializers/" + file)) {
      SCOPED_TRACE(file + " " + golden.name());
      const Array expected = golden.array("out0");
      const Array out = array::empty(expected.shape(), expected.dtype());
      make(golden)(out);
      EXPECT_THAT(out.to_device(native_device()), IsArray(expected));
    }
  };
  check("Constant", [](const GoldenCase& golden) {
    return Initializer(Constant(golden.attr<double>("fill_value")));
  });
  check("Zero", [](const GoldenCase&) { return Initializer(Zero()); });
  check("One", [](const GoldenCase&) { return Initializer(One()); });
}

struct Moments {
  double mean;
  double deviation;
  double least;
  double most;
};

Moments moments_of(const Array& a) {
  const Array values = a.astype(Dtype::kFloat64);
  const double mean = array::mean(values).item<double>();
  return {mean,
          std::sqrt(array::mean(array::square(values - mean)).item<double>()),
          array::min(values).item<double>(), array::max(values).item<double>()};
}

// The golden files say what standard deviation and bounds a shape asks for;
// the same fans with many more elements show whether they are kept.
TEST_P(InitializersTest, RandomOnesHaveChainersSpread) {
  const std::map<std::string, std::function<Initializer(double)>> makers = {
      {"Normal", [](double s) { return Initializer(Normal(s)); }},
      {"Uniform", [](double s) { return Initializer(Uniform(s)); }},
      {"LeCunNormal", [](double s) { return Initializer(LeCunNormal(s)); }},
      {"GlorotNormal", [](double s) { return Initializer(GlorotNormal(s)); }},
      {"GlorotUniform",
       [](double s) { return Initializer(GlorotUniform(s)); }},
      {"HeNormal", [](double s) { return Initializer(HeNormal(s)); }},
      {"HeUniform", [](double s) { return Initializer(HeUniform(s)); }}};
  array::random::seed(1);
  for (const auto& [name, make] : makers) {
    for (const GoldenCase& golden : golden_cases("initializers/" + name)) {
      SCOPED_TRACE(name + " " + golden.name());
      const Shape shape(golden.array("shape").data<int64_t>(),
                        static_cast<size_t>(golden.array("shape").size()));
      if (golden.has("fan_in")) {
        const auto [fan_in, fan_out] = get_fans(shape);
        EXPECT_EQ(fan_in, golden.array("fan_in").item<int64_t>());
        EXPECT_EQ(fan_out, golden.array("fan_out").item<int64_t>());
      }
      double sum_of_squares = 0;
      double bound = 0;
      int64_t count = 0;
      for (; count < 20000; count += size_of(shape)) {
        const Array out = array::empty(shape, Dtype::kFloat32);
        make(golden.attr<double>("scale"))(out);
        const Moments moments = moments_of(out);
        sum_of_squares += static_cast<double>(size_of(shape)) *
                          (moments.deviation * moments.deviation +
                           moments.mean * moments.mean);
        bound = std::max({bound, moments.most, -moments.least});
      }
      const double expected = golden.array("std").item<double>();
      EXPECT_NEAR(std::sqrt(sum_of_squares / static_cast<double>(count)),
                  expected, 0.03 * expected);
      if (golden.has("limit")) {
        const double limit = golden.array("limit").item<double>();
        EXPECT_LE(bound, limit * (1 + 1e-6));
        EXPECT_GT(bound, 0.98 * limit);
      }
    }
  }
}

TEST_P(InitializersTest, HeNormalCanLookAtTheOutputs) {
  array::random::seed(2);
  const Array out = array::empty({400, 100}, Dtype::kFloat64);
  HeNormal(1.0, FanOption::kFanOut)(out);
  EXPECT_NEAR(moments_of(out).deviation, std::sqrt(2.0 / 400), 0.002);
}

TEST_P(InitializersTest, ASeedGivesTheSameValues) {
  const Array first = array::empty({50}, Dtype::kFloat32);
  const Array second = array::empty({50}, Dtype::kFloat32);
  array::random::seed(3);
  Normal(1.0)(first);
  array::random::seed(3);
  Normal(1.0)(second);
  EXPECT_THAT(first, IsArray(second));
}

INSTANTIATE_TEST_SUITE_P(Devices, InitializersTest,
                         ::catena::testing::every_device());

TEST(InitializersErrorTest, RefusesBadScalesAndShapes) {
  EXPECT_THAT([] { Normal(-1); },
              ThrowsMessage<ValueError>(
                  HasSubstr("Normal: expected a finite scale of at least 0, "
                            "got -1")));
  EXPECT_THAT([] { HeUniform(NAN); },
              ThrowsMessage<ValueError>(HasSubstr("HeUniform")));
  EXPECT_THAT([] { get_fans({3}); },
              ThrowsMessage<ShapeError>(HasSubstr("got shape (3,)")));
}

TEST(InitializerTest, TheDtypeIsTheConfigsUnlessTheInitializerFixesIt) {
  EXPECT_EQ(Parameter(Initializer(1), Shape{2}).dtype(), Dtype::kFloat32);
  EXPECT_EQ(Parameter(Initializer(Zero(), Dtype::kFloat64), Shape{2}).dtype(),
            Dtype::kFloat64);
  const auto scope = using_config(&Config::dtype, Dtype::kFloat16);
  EXPECT_EQ(Parameter(Initializer(1), Shape{2}).dtype(), Dtype::kFloat16);
}

}  // namespace
}  // namespace catena::initializers
