#include "catena/links/connection/highway.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/activation/tanh.h"
#include "catena/links/connection/simplified_dropconnect.h"
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

class HighwayTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, HighwayTest,
                         ::catena::testing::every_device());

// chainer 7.8.1
TEST_P(HighwayTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/Highway")) {
    SCOPED_TRACE(golden.name());
    HighwayOptions options{.nobias = golden.attr_or("nobias", false)};
    if (golden.attr<std::string>("activate") == "tanh") {
      options.activate = functions::tanh;
    }
    Highway link(golden.attr<int64_t>("in_out_size"), options);
    set_golden_params(link, golden);
    expect_golden_call(link, golden, [&](const Variables& in) -> Variables {
      return {link(in[0])};
    });
  }
}

TEST_P(HighwayTest, TheGateIsNearlyShutAtFirst) {
  const Highway link(2, {.init_Wt = 0.0});
  EXPECT_THAT(link.transform->b.data(), ::catena::testing::IsArray(array::full(
                                            {2}, -1.0, Dtype::kFloat32)));
  EXPECT_THAT(link.plain->b.data(),
              ::catena::testing::IsArray(array::zeros({2}, Dtype::kFloat32)));
  EXPECT_EQ(link.plain->W.shape(), Shape({2, 2}));
}

TEST(HighwayErrorTest, NamesTheSize) {
  EXPECT_THAT(error_of<ValueError>([] { Highway(0); }), HasSubstr("in_size 0"));
}

class SimplifiedDropconnectTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, SimplifiedDropconnectTest,
                         ::catena::testing::every_device());

TEST_P(SimplifiedDropconnectTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/SimplifiedDropconnect")) {
    SCOPED_TRACE(golden.name());
    SimplifiedDropconnect link(golden.attr<int64_t>("in_size"),
                               golden.attr<int64_t>("out_size"),
                               {.ratio = golden.attr<double>("ratio")});
    set_golden_params(link, golden);
    expect_golden_call(link, golden, [&](const Variables& in) -> Variables {
      return {
          link(in[0], {.mask = golden.array("attr/mask").to_device(device())})};
    });
  }
}

TEST_P(SimplifiedDropconnectTest, InfersTheInputSizeAndDropsNothingInTest) {
  SimplifiedDropconnect link(std::nullopt, 3,
                             {.nobias = true, .initialW = 1.0});
  EXPECT_FALSE(link.W.is_initialized());
  EXPECT_FALSE(link.b.defined());
  const Variable x(array::ones({2, 2, 4}, Dtype::kFloat32));
  EXPECT_THAT(
      link(x, {.train = false}).data(),
      ::catena::testing::IsArray(array::full({2, 3}, 8.0, Dtype::kFloat32)));
  EXPECT_EQ(link.W.shape(), Shape({3, 8}));
  EXPECT_EQ(link(x, {.use_batchwise_mask = false}).shape(), Shape({2, 3}));
}

TEST(SimplifiedDropconnectErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { SimplifiedDropconnect(2, 0); }),
              HasSubstr("out_size 0"));
  EXPECT_THAT(
      error_of<ValueError>([] { SimplifiedDropconnect(2, 2, {.ratio = 1}); }),
      HasSubstr("expected ratio in [0, 1), got 1"));
}

}  // namespace
}  // namespace catena::links
