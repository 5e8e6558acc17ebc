#include "catena/links/connection/scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/connection/bias.h"
#include "catena/links/connection/parameter.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::expect_golden_call;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::set_golden_params;
using ::testing::HasSubstr;

class ScaleTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ScaleTest, ::catena::testing::every_device());

std::optional<Shape> shape_of(const GoldenCase& golden, std::string_view key) {
  if (!golden.has_attr(key)) return std::nullopt;
  return golden.attr<Shape>(key);
}

// chainer 7.8.1
TEST_P(ScaleTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/Scale")) {
    SCOPED_TRACE(golden.name());
    Scale scale({.axis = golden.attr<int64_t>("axis"),
                 .W_shape = shape_of(golden, "W_shape"),
                 .bias_term = golden.attr_or("bias_term", false),
                 .bias_shape = shape_of(golden, "bias_shape")});
    set_golden_params(scale, golden);
    expect_golden_call(scale, golden, [&](const Variables& in) -> Variables {
      return {in.size() == 1 ? scale(in[0]) : scale(in[0], in[1])};
    });
  }
}

TEST_P(ScaleTest, StartsAsTheIdentityAndIsCopiedWithItsBias) {
  const Scale scale({.W_shape = Shape{3}, .bias_term = true});
  Scale copied = scale;
  copied.W.data().fill(2);
  (*copied.bias)->b.data().fill(1);
  const Variable x(array::ones({2, 3}, Dtype::kFloat32));
  EXPECT_THAT(Scale(scale)(x).data(), ::catena::testing::IsArray(x.data()));
  EXPECT_THAT(copied(x).data(), ::catena::testing::IsArray(x.data() * 3));
  EXPECT_EQ(copied.namedparams().at(1).first, "/bias/b");
}

TEST(ScaleErrorTest, SaysWhichArgumentsItTakes) {
  EXPECT_THAT(error_of<ValueError>([] { Scale({.bias_term = true}); }),
              HasSubstr("expected a bias_shape"));
  const Variable x(array::ones({2, 3}, Dtype::kFloat32));
  Scale with({.W_shape = Shape{3}});
  Scale without;
  EXPECT_THAT(error_of<ValueError>([&] { with(x, x); }),
              HasSubstr("Scale: expected only x"));
  EXPECT_THAT(error_of<ValueError>([&] { without(x); }),
              HasSubstr("Scale: expected x and factors"));
}

class BiasTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, BiasTest, ::catena::testing::every_device());

TEST_P(BiasTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/Bias")) {
    SCOPED_TRACE(golden.name());
    Bias bias({.axis = golden.attr<int64_t>("axis"),
               .shape = shape_of(golden, "shape")});
    if (!bias.b.defined()) {
      EXPECT_THAT(
          bias(Variable(golden.array("in0")), Variable(golden.array("in1")))
              .data(),
          ::catena::testing::IsClose(golden.array("out0")));
      continue;
    }
    set_golden_params(bias, golden);
    expect_golden_call(bias, golden, [&](const Variables& in) -> Variables {
      return {bias(in[0])};
    });
  }
}

TEST(BiasErrorTest, SaysWhichArgumentsItTakes) {
  const Variable x(array::ones({2, 3}, Dtype::kFloat32));
  Bias with({.shape = Shape{3}});
  Bias without;
  EXPECT_THAT(error_of<ValueError>([&] { with(x, x); }),
              HasSubstr("Bias: expected only x"));
  EXPECT_THAT(error_of<ValueError>([&] { without(x); }),
              HasSubstr("Bias: expected x and a"));
}

class ParameterLinkTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ParameterLinkTest,
                         ::catena::testing::every_device());

TEST_P(ParameterLinkTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/Parameter")) {
    SCOPED_TRACE(golden.name());
    ParameterLink link(golden.array("param/W").to_device(device()));
    expect_golden_call(link, golden,
                       [&](const Variables&) -> Variables { return {link()}; });
    EXPECT_TRUE(link().is_same(link.W));
  }
}

TEST_P(ParameterLinkTest, HoldsACopyOfTheArray) {
  const Array array = array::ones({2, 3});
  const ParameterLink link(array);
  array.fill(5);
  EXPECT_THAT(link.W.data(), ::catena::testing::IsArray(array::ones({2, 3})));
}

}  // namespace
}  // namespace catena::links
