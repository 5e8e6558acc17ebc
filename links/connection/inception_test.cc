#include "catena/links/connection/inception.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/connection/inception_bn.h"
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

class InceptionTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, InceptionTest,
                         ::catena::testing::every_device());

// chainer 7.8.1
TEST_P(InceptionTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/Inception")) {
    SCOPED_TRACE(golden.name());
    const auto number = [&](const char* name) {
      return golden.attr<int64_t>(name);
    };
    Inception link(number("in_channels"), number("out1"), number("proj3"),
                   number("out3"), number("proj5"), number("out5"),
                   number("proj_pool"));
    set_golden_params(link, golden);
    expect_golden_call(link, golden, [&](const Variables& in) -> Variables {
      return {link(in[0])};
    });
  }
}

// chainer 7.8.1
TEST_P(InceptionTest, WithBatchNormalizationItFollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/InceptionBN")) {
    SCOPED_TRACE(golden.name());
    const auto number = [&](const char* name) {
      return golden.attr<int64_t>(name);
    };
    std::optional<int64_t> proj_pool;
    if (golden.has_attr("proj_pool")) proj_pool = number("proj_pool");
    InceptionBN link(number("in_channels"), number("out1"), number("proj3"),
                     number("out3"), number("proj33"), number("out33"),
                     golden.attr<std::string>("pooltype"),
                     {.proj_pool = proj_pool,
                      .stride = golden.attr_or<int64_t>("stride", 1)});
    set_golden_params(link, golden);
    expect_golden_call(link, golden, [&](const Variables& in) -> Variables {
      return {link(in[0])};
    });
    const auto& normalization =
        dynamic_cast<BatchNormalization&>(link["conv33bn"]);
    EXPECT_THAT(normalization.avg_mean.to_device(native_device()),
                golden.is_close("after/conv33bn/avg_mean"));
  }
}

TEST_P(InceptionTest, InputChannelsAreInferredAtTheFirstCall) {
  const Variable x(array::ones({1, 3, 4, 4}, Dtype::kFloat32));
  Inception link(std::nullopt, 1, 2, 3, 4, 5, 6);
  EXPECT_EQ(link(x).shape(), Shape({1, 15, 4, 4}));
  EXPECT_EQ(link.proj5->W.shape(), Shape({4, 3, 1, 1}));
  InceptionBN normalized(std::nullopt, 0, 1, 2, 3, 4, "avg", {.stride = 2});
  EXPECT_EQ(normalized(x).shape(), Shape({1, 9, 2, 2}));
  EXPECT_EQ(normalized.proj33->W.shape(), Shape({3, 3, 1, 1}));
}

TEST(InceptionErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { Inception(3, 1, 1, 0, 1, 1, 1); }),
              HasSubstr("got 1 and 0"));
  EXPECT_THAT(error_of<NotImplementedError>(
                  [] { InceptionBN(3, 0, 1, 1, 1, 1, "min"); }),
              HasSubstr("expected pooltype \"max\" or \"avg\", got \"min\""));
  EXPECT_THAT(
      error_of<ValueError>([] { InceptionBN(3, 2, 1, 1, 1, 1, "max"); }),
      HasSubstr("expected stride 1 and a proj_pool with out1 2, got stride "
                "1 and no proj_pool"));
  EXPECT_THAT(error_of<ValueError>([] {
                InceptionBN(3, 2, 1, 1, 1, 1, "max",
                            {.proj_pool = 1, .stride = 2});
              }),
              HasSubstr("got stride 2"));
}

}  // namespace
}  // namespace catena::links
