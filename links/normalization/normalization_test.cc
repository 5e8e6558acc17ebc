// LayerNormalization, RmsNormalization and GroupNormalization.

#include <gmock/gmock.h>

#include <optional>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/links/normalization/group_normalization.h"
#include "catena/links/normalization/layer_normalization.h"
#include "catena/links/normalization/rms_normalization.h"
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
using ::testing::HasSubstr;

class NormalizationTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, NormalizationTest,
                         ::catena::testing::every_device());

// chainer 7.8.1
TEST_P(NormalizationTest, LayersFollowChainer) {
  for (const GoldenCase& golden : golden_cases("links/LayerNormalization")) {
    SCOPED_TRACE(golden.name());
    const auto scope =
        using_config(&Config::dtype, golden.array("param/gamma").dtype());
    LayerNormalization link(golden.attr<int64_t>("size"),
                            {.eps = golden.attr_or("eps", 1e-6)});
    ::catena::testing::set_golden_params(link, golden);
    ::catena::testing::expect_golden_call(
        link, golden,
        [&](const Variables& in) -> Variables { return {link(in[0])}; });
  }
}

TEST_P(NormalizationTest, GroupsFollowChainer) {
  for (const GoldenCase& golden : golden_cases("links/GroupNormalization")) {
    SCOPED_TRACE(golden.name());
    GroupNormalization link(golden.attr<int64_t>("groups"),
                            golden.attr<int64_t>("size"));
    ::catena::testing::set_golden_params(link, golden);
    ::catena::testing::expect_golden_call(
        link, golden,
        [&](const Variables& in) -> Variables { return {link(in[0])}; });
  }
}

TEST_P(NormalizationTest, SizesAreInferredAtTheFirstCall) {
  LayerNormalization layer;
  GroupNormalization group(2);
  EXPECT_FALSE(layer.gamma.is_initialized());
  EXPECT_FALSE(group.beta.is_initialized());
  const Variable x(array::ones({3, 4}, Dtype::kFloat32));
  EXPECT_EQ(layer(x).shape(), x.shape());
  EXPECT_EQ(group(x).shape(), x.shape());
  EXPECT_EQ(layer.gamma.shape(), Shape({4}));
  EXPECT_EQ(group.beta.shape(), Shape({4}));
}

TEST_P(NormalizationTest, BatchAxesAreLeftOutOfSizes) {
  LayerNormalization layer;
  RmsNormalization rms(std::nullopt, {.eps = 0.5});
  const Variable x(array::full({2, 3, 4}, 3, Dtype::kFloat32));
  EXPECT_EQ(layer(x, {.n_batch_axes = 2}).shape(), x.shape());
  EXPECT_EQ(layer.beta.shape(), Shape({4}));
  // 3 / sqrt(9 + 0.5)
  EXPECT_THAT(rms(x, {.n_batch_axes = 2}).data(),
              ::catena::testing::IsClose(
                  array::full({2, 3, 4}, 0.97332853, Dtype::kFloat32)));
  EXPECT_EQ(rms.gamma.shape(), Shape({4}));
  RmsNormalization flat;
  flat(x);
  EXPECT_EQ(flat.gamma.shape(), Shape({12}));
}

TEST(NormalizationErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { LayerNormalization(0); }),
              HasSubstr("got 0"));
  EXPECT_THAT(error_of<ValueError>([] { RmsNormalization(-1); }),
              HasSubstr("RmsNormalization: expected a positive size, got -1"));
  EXPECT_THAT(error_of<ValueError>([] { GroupNormalization(0); }),
              HasSubstr("got groups 0"));
  EXPECT_THAT(error_of<ValueError>([] { GroupNormalization(2, -4); }),
              HasSubstr("and size -4"));
  LayerNormalization layer(4);
  EXPECT_THAT(error_of<InvalidType>([&] {
                layer(Variable(array::ones({2, 3}, Dtype::kFloat32)));
              }),
              HasSubstr("4 != 3"));
}

}  // namespace
}  // namespace catena::links
