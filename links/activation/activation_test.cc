#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/activation/maxout.h"
#include "catena/links/activation/prelu.h"
#include "catena/links/activation/swish.h"
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

class ActivationLinkTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ActivationLinkTest,
                         ::catena::testing::every_device());

// chainer 7.8.1
TEST_P(ActivationLinkTest, PReLUFollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/PReLU")) {
    SCOPED_TRACE(golden.name());
    PReLU link(golden.attr<Shape>("shape"));
    EXPECT_EQ(link.W.shape(), golden.attr<Shape>("shape"));
    set_golden_params(link, golden);
    expect_golden_call(link, golden, [&](const Variables& in) -> Variables {
      return {link(in[0])};
    });
  }
}

TEST_P(ActivationLinkTest, SwishFollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/Swish")) {
    SCOPED_TRACE(golden.name());
    Swish link(golden.attr<Shape>("beta_shape"));
    set_golden_params(link, golden);
    expect_golden_call(link, golden, [&](const Variables& in) -> Variables {
      return {link(in[0])};
    });
  }
}

TEST_P(ActivationLinkTest, MaxoutFollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/Maxout")) {
    SCOPED_TRACE(golden.name());
    Maxout link(golden.attr<int64_t>("in_size"),
                golden.attr<int64_t>("out_size"),
                golden.attr<int64_t>("pool_size"));
    set_golden_params(link, golden);
    expect_golden_call(link, golden, [&](const Variables& in) -> Variables {
      return {link(in[0])};
    });
  }
}

TEST_P(ActivationLinkTest, ParametersStartAsTheOptionsSay) {
  EXPECT_THAT(PReLU().W.data(), ::catena::testing::IsArray(
                                    array::full({}, 0.25, Dtype::kFloat32)));
  EXPECT_THAT(PReLU({2}, 0.5).W.data(), ::catena::testing::IsArray(array::full(
                                            {2}, 0.5, Dtype::kFloat32)));
  Swish swish(std::nullopt);
  EXPECT_FALSE(swish.beta.is_initialized());
  swish(Variable(array::ones({2, 3, 4}, Dtype::kFloat32)));
  EXPECT_THAT(swish.beta.data(),
              ::catena::testing::IsArray(array::ones({3, 4}, Dtype::kFloat32)));
  const Maxout maxout(3, 2, 4);
  EXPECT_EQ(maxout.linear->W.shape(), Shape({8, 3}));
  EXPECT_EQ(maxout.linear->b.shape(), Shape({8}));
  EXPECT_FALSE(
      Maxout(3, 2, 4, {.initial_bias = std::nullopt}).linear->b.defined());
}

TEST(ActivationLinkErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { Maxout(3, 2, 0); }),
              HasSubstr("Maxout: expected positive sizes, got out_size 2 "
                        "and pool_size 0"));
  PReLU prelu({3});
  EXPECT_THAT(error_of<InvalidType>([&] {
                prelu(Variable(array::ones({2, 4}, Dtype::kFloat32)));
              }),
              HasSubstr("Expect: x.shape[1:2] == W.shape"));
}

}  // namespace
}  // namespace catena::links
