#include "catena/links/initializers/initializers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/links/initializers/interpolation_filters.h"
#include "catena/links/initializers/orthogonal.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::initializers {
namespace {

using ::catena::testing::default_tolerance;
using ::catena::testing::error_of;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;

Shape shape_of(const GoldenCase& golden) {
  return golden.array("shape").to_vector<int64_t>();
}
Dtype dtype_of(const GoldenCase& golden) {
  return dtype_from_name(golden.attr<std::string>("dtype"));
}

class InitializersTest : public ::catena::testing::DeviceTest {};

TEST_P(InitializersTest, ConstantsAreChainers) {
  const auto check = [&](const std::string& file, auto make) {
    for (const GoldenCase& golden : golden_cases("initializers/" + file)) {
      SCOPED_TRACE(file + " " + golden.name());
      const Array out = array::empty(shape_of(golden), dtype_of(golden));
      make(golden)(out);
      EXPECT_THAT(out.to_device(native_device()),
                  IsArray(golden.array("out0")));
    }
  };
  check("Constant", [](const GoldenCase& golden) {
    return Initializer(Constant(golden.attr<double>("fill_value")));
  });
  check("Zero", [](const GoldenCase&) { return Initializer(Zero()); });
  check("One", [](const GoldenCase&) { return Initializer(One()); });
  check("NaN", [](const GoldenCase&) { return Initializer(NaN()); });
  check("Identity", [](const GoldenCase& golden) {
    return Initializer(Identity(golden.attr<double>("scale")));
  });
  // Chainer's only way to interpolate, and ours.
  const auto expect_linear = [](const GoldenCase& golden) {
    EXPECT_EQ(golden.attr<std::string>("interpolation"), "linear");
  };
  check("UpsamplingDeconvFilter", [&](const GoldenCase& golden) {
    expect_linear(golden);
    return Initializer(UpsamplingDeconvFilter());
  });
  check("DownsamplingConvFilter", [&](const GoldenCase& golden) {
    expect_linear(golden);
    return Initializer(DownsamplingConvFilter());
  });
}

Array orthogonal_rows(const Shape& shape, double scale,
                      Dtype dtype = Dtype::kFloat32) {
  const Array out = array::empty(shape, dtype);
  Orthogonal{scale}(out);
  return out.reshape({shape[0], -1})
      .to_device(native_device())
      .astype(Dtype::kFloat64);
}

struct Moments {
  double mean;
  double deviation;
  double min;
  double max;
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
      {"LeCunUniform", [](double s) { return Initializer(LeCunUniform(s)); }},
      {"LeCunNormal", [](double s) { return Initializer(LeCunNormal(s)); }},
      {"GlorotNormal", [](double s) { return Initializer(GlorotNormal(s)); }},
      {"GlorotUniform", [](double s) { return Initializer(GlorotUniform(s)); }},
      {"HeNormal", [](double s) { return Initializer(HeNormal(s)); }},
      {"HeUniform", [](double s) { return Initializer(HeUniform(s)); }}};
  array::random::seed(1);
  for (const auto& [name, make] : makers) {
    for (const GoldenCase& golden : golden_cases("initializers/" + name)) {
      SCOPED_TRACE(name + " " + golden.name());
      const Shape shape = shape_of(golden);
      if (golden.has("fan_in")) {
        const auto [fan_in, fan_out] = get_fans(shape);
        EXPECT_EQ(fan_in, golden.array("fan_in").item<int64_t>());
        EXPECT_EQ(fan_out, golden.array("fan_out").item<int64_t>());
      }
      double sum_of_squares = 0;
      double bound = 0;
      int64_t count = 0;
      for (; count < 20000; count += size_of(shape)) {
        const Array out = array::empty(shape, dtype_of(golden));
        make(golden.attr<double>("scale"))(out);
        const Moments moments = moments_of(out);
        sum_of_squares += static_cast<double>(size_of(shape)) *
                          (moments.deviation * moments.deviation +
                           moments.mean * moments.mean);
        bound = std::max({bound, moments.max, -moments.min});
      }
      const double expected = golden.array("std").item<double>();
      EXPECT_NEAR(std::sqrt(sum_of_squares / static_cast<double>(count)),
                  expected, 0.03 * expected);
      if (golden.has("limit")) {
        const double limit = golden.array("limit").item<double>();
        const double rounding = item_size(dtype_of(golden)) < 4 ? 4e-3 : 1e-6;
        EXPECT_LE(bound, limit * (1 + rounding));
        EXPECT_GT(bound, 0.98 * limit);
      }
    }
  }
}

TEST_P(InitializersTest, OrthogonalOnesAreOrthogonal) {
  for (const GoldenCase& golden : golden_cases("initializers/Orthogonal")) {
    SCOPED_TRACE(golden.name());
    const Dtype dtype = dtype_of(golden);
    const Array matrix =
        orthogonal_rows(shape_of(golden), golden.attr<double>("scale"), dtype);
    const auto rows = golden.array("rows").item<int64_t>();
    const auto cols = golden.array("cols").item<int64_t>();
    ASSERT_EQ(matrix.shape(), Shape({rows, cols}));
    const auto scale = golden.array("gram_scale").item<double>();
    const double close = default_tolerance(dtype).atol;
    EXPECT_THAT(rows <= cols ? array::matmul(matrix, matrix.T())
                             : array::matmul(matrix.T(), matrix),
                IsClose(scale * array::eye(std::min(rows, cols)),
                        {.rtol = close, .atol = close}));
  }
  // More rows than columns: the columns are.
  const Array columns = orthogonal_rows({5, 1, 2}, 1.0);
  EXPECT_THAT(array::matmul(columns.T(), columns),
              IsClose(array::eye(2), {1e-5, 1e-5}));
  const Array half = array::empty({3, 3}, Dtype::kFloat16);
  Orthogonal(1.0)(half);
  EXPECT_THAT(array::matmul(half, half.T()).astype(Dtype::kFloat64),
              IsClose(array::eye(3), {0.01, 0.01}));
  const Array sign = array::empty({}, Dtype::kFloat32);
  Orthogonal(3.0)(sign);
  EXPECT_EQ(std::abs(sign.item<float>()), 3);
}

// Each direction is as likely as its opposite, which the signs of a QR
// decomposition alone are not.
TEST_P(InitializersTest, OrthogonalOnesHaveNoBias) {
  array::random::seed(4);
  double sum = 0;
  for (int i = 0; i < 400; ++i) {
    sum += orthogonal_rows({2, 2}, 1.0)[0][0].item<double>();
  }
  EXPECT_NEAR(sum / 400, 0, 0.12);
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

TEST_P(InitializersTest, ArraysAreBroadcastAndConverted) {
  const Array values = array::array({1.0, 2.0, 3.0});
  const Array expected = array::array({{1.0f, 2.0f, 3.0f}, {1.0f, 2.0f, 3.0f}});
  for (const Initializer& initializer :
       {Initializer(values), Initializer(Constant(values)),
        Initializer(values.to_device(device()))}) {
    EXPECT_THAT(generate_array(initializer, {2, 3}, device()),
                IsArray(expected));
    EXPECT_THAT(error_of<ShapeError>([&] {
                  generate_array(initializer, {2, 4}, device());
                }),
                HasSubstr("(3,)"));
  }
  EXPECT_THROW(generate_array(Initializer(Array()), {2}), ValueError);
}

INSTANTIATE_TEST_SUITE_P(Devices, InitializersTest,
                         ::catena::testing::every_device());

TEST(InitializersErrorTest, RefusesBadScalesAndShapes) {
  EXPECT_THAT(error_of<ValueError>([] { Normal(-1); }),
              HasSubstr("Normal: expected a finite scale of at least 0, "
                        "got -1"));
  EXPECT_THAT(error_of<ValueError>([] { HeUniform(NAN); }),
              HasSubstr("HeUniform"));
  EXPECT_THAT(error_of<ShapeError>([] { get_fans({3}); }),
              HasSubstr("got shape (3,)"));
  const auto fill = [](const Initializer& initializer, const Shape& shape) {
    return [=] { generate_array(initializer, shape); };
  };
  EXPECT_THAT(error_of<ShapeError>(fill(Identity(), {2, 3})),
              HasSubstr("square matrix"));
  EXPECT_THAT(error_of<ValueError>([] { Orthogonal{INFINITY}; }),
              HasSubstr("Orthogonal: expected"));
  EXPECT_THAT(error_of<ShapeError>(fill(Orthogonal(), {0, 3})),
              HasSubstr("expected elements"));
  EXPECT_THAT(error_of<ShapeError>(
                  fill(Orthogonal(1.0, OrthogonalMode::kBasis), {3, 2})),
              HasSubstr("got 3 and 2"));
  EXPECT_THAT(
      error_of<ShapeError>(fill(UpsamplingDeconvFilter(), {2, 3, 4, 4})),
      HasSubstr("UpsamplingDeconvFilter"));
  EXPECT_THAT(error_of<ShapeError>(fill(DownsamplingConvFilter(), {2, 2})),
              HasSubstr("DownsamplingConvFilter"));
}

// As in Chainer, where only a standard deviation cannot be negative.
TEST(InitializerTest, NegativeScalesOfMatricesAndLimitsAreAllowed) {
  EXPECT_THAT(generate_array(Identity(-2), {2, 2}),
              IsArray(array::identity(2, Dtype::kFloat32) * -2.0));
  const Array q = generate_array(Orthogonal(-1.5), {3, 5});
  EXPECT_THAT(q.dot(q.T()),
              IsClose(array::identity(3, Dtype::kFloat32) * 2.25));
  array::random::seed(1);
  const Array of_positive = generate_array(Uniform(0.5), {100});
  array::random::seed(1);
  EXPECT_THAT(generate_array(Uniform(-0.5), {100}), IsArray(of_positive));
}

TEST(InterpolationFilterTest, OneChannelMayStandForAll) {
  const Array wide = generate_array(UpsamplingDeconvFilter(), {3, 1, 3});
  const Array row = array::array({0.5f, 1.0f, 0.5f});
  EXPECT_THAT(wide, IsArray(row.broadcast_to({3, 1, 3})));
}

TEST(InitializerTest, AnArrayIsGeneratedInTheInitializersDtype) {
  EXPECT_THAT(generate_array(One(), {2}),
              IsArray(array::ones({2}, Dtype::kFloat32)));
  EXPECT_THAT(generate_array(Initializer(Constant(3), Dtype::kFloat64), {1, 2}),
              IsArray(array::full({1, 2}, 3.0)));
  EXPECT_EQ(generate_array(One(), {2}, native_device(1)).device(),
            native_device(1));
  const auto scope = using_config(&Config::dtype, mixed16);
  EXPECT_EQ(generate_array(One(), {2}).dtype(), Dtype::kFloat16);
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
