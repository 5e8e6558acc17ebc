#include "catena/links/connection/linear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsArray;
using ::testing::AllOf;
using ::testing::HasSubstr;

class LinearTest : public ::catena::testing::DeviceTest {};

// chainer 7.8.1
TEST_P(LinearTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/Linear")) {
    SCOPED_TRACE(golden.name());
    const auto scope =
        using_config(&Config::dtype, golden.array("param/W").dtype());
    Linear linear(golden.attr<int64_t>("in_size"),
                  golden.attr<int64_t>("out_size"),
                  {.nobias = golden.attr_or("nobias", false)});
    ::catena::testing::set_golden_params(linear, golden);
    ::catena::testing::expect_golden_call(
        linear, golden, [&](const Variables& in) -> Variables {
          return {linear(in[0], {.n_batch_axes = golden.attr_or<int64_t>(
                                     "n_batch_axes", 1)})};
        });
  }
}

TEST_P(LinearTest, TheInputSizeIsInferredAtTheFirstCall) {
  Linear linear(3);
  EXPECT_FALSE(linear.W.is_initialized());
  const Variable x(array::ones({2, 2, 4}, Dtype::kFloat32));
  EXPECT_EQ(linear(x).shape(), Shape({2, 3}));
  EXPECT_EQ(linear.W.shape(), Shape({3, 8}));
  Linear axes(3);
  EXPECT_EQ(axes(x, {.n_batch_axes = 2}).shape(), Shape({2, 2, 3}));
  EXPECT_EQ(axes.W.shape(), Shape({3, 4}));
}

TEST_P(LinearTest, ArraysMayBeTheInitialValues) {
  const Array W = array::array({{1, 2}, {3, 4}, {5, 6}}, Dtype::kFloat32);
  const Array b = array::array({7, 8, 9}, Dtype::kFloat32);
  Linear given(2, 3, {.initialW = W, .initial_bias = b});
  Linear inferred(3, {.initialW = W, .initial_bias = b});
  inferred(Variable(array::ones({1, 2}, Dtype::kFloat32)));
  for (const Linear* linear : {&given, &inferred}) {
    EXPECT_EQ(linear->W.device(), device());
    EXPECT_THAT(linear->W.data(), IsArray(W));
    EXPECT_THAT(linear->b.data(), IsArray(b));
    // They are copied.
    linear->W.data().fill(0);
    EXPECT_EQ(W[2][1].item<float>(), 6);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, LinearTest,
                         ::catena::testing::every_device());

TEST(LinearErrorTest, NamesSizesThatDoNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { Linear(0); }), HasSubstr("out_size 0"));
  EXPECT_THAT(error_of<ValueError>([] { Linear(-2, 3); }),
              HasSubstr("in_size -2"));
  Linear linear(4, 3);
  EXPECT_THAT(error_of<InvalidType>([&] {
                linear(Variable(array::ones({2, 5}, Dtype::kFloat32)));
              }),
              HasSubstr("5 != 4"));
}

TEST(LinearErrorTest, NamesInitialValuesThatDoNotFit) {
  const Array values = array::ones({2, 5}, Dtype::kFloat32);
  EXPECT_THAT(error_of<ShapeError>([&] { Linear(4, 3, {.initialW = values}); }),
              AllOf(HasSubstr("W of shape (3, 4)"), HasSubstr("(2, 5)")));
  EXPECT_THAT(
      error_of<ShapeError>([&] { Linear(4, 3, {.initial_bias = values}); }),
      AllOf(HasSubstr("b of shape (3,)"), HasSubstr("(2, 5)")));
  // As soon as the shape is known.
  Linear linear(3, {.initialW = values});
  EXPECT_THAT(error_of<ShapeError>([&] {
                linear(Variable(array::ones({1, 4}, Dtype::kFloat32)));
              }),
              HasSubstr("W of shape (3, 4)"));
  EXPECT_FALSE(linear.W.is_initialized());
}

TEST(LinearTest, WithoutABiasThereIsNone) {
  Linear linear(4, 3, {.nobias = true});
  EXPECT_FALSE(linear.b.defined());
  EXPECT_EQ(linear.params().size(), 1u);
  const Linear copied = linear;
  EXPECT_EQ(copied.params().size(), 1u);
}

}  // namespace
}  // namespace catena::links
