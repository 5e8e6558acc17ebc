// Links of convolutions of all kinds.

#include <gmock/gmock.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/deconvolution_nd.h"
#include "catena/links/connection/deformable_convolution_2d.h"
#include "catena/links/connection/depthwise_convolution_2d.h"
#include "catena/links/connection/local_convolution_2d.h"
#include "catena/links/connection/mlp_convolution_2d.h"
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

// Calls make(case) for the cases of a link's golden file, whose parameters are
// of one dtype, and compares the link with them.
template <class Make>
void check_link(const std::string& name, const Make& make) {
  for (const GoldenCase& golden : golden_cases("links/" + name)) {
    SCOPED_TRACE(name + " " + golden.name());
    const auto scope =
        using_config(&Config::dtype, golden.array("in0").dtype());
    auto link = make(golden);
    set_golden_params(link, golden);
    expect_golden_call(link, golden, [&](const Variables& in) -> Variables {
      return {link(in[0])};
    });
  }
}

template <class Options>
Options common_options(const GoldenCase& golden) {
  return {.stride = golden.attr_or("stride", Shape{1}),
          .pad = golden.attr_or("pad", Shape{0}),
          .nobias = golden.attr_or("nobias", false),
          .dilate = golden.attr_or("dilate", Shape{1}),
          .groups = golden.attr_or<int64_t>("groups", 1)};
}

template <class T, class Options>
void check_convolution(const std::string& name) {
  check_link(name, [](const GoldenCase& golden) {
    return T(golden.attr<int64_t>("in_channels"),
             golden.attr<int64_t>("out_channels"), golden.attr<Shape>("ksize"),
             common_options<Options>(golden));
  });
}

// chainer 7.8.1, in all of them
class ConvolutionLinksTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ConvolutionLinksTest,
                         ::catena::testing::every_device());

TEST_P(ConvolutionLinksTest, ConvolutionsFollowChainer) {
  check_convolution<Convolution1D, ConvolutionOptions>("Convolution1D");
  check_convolution<Convolution2D, ConvolutionOptions>("Convolution2D");
  check_convolution<Convolution3D, ConvolutionOptions>("Convolution3D");
  check_convolution<DilatedConvolution2D, ConvolutionOptions>(
      "DilatedConvolution2D");
  check_link("ConvolutionND", [](const GoldenCase& golden) {
    return ConvolutionND(
        golden.attr<int>("ndim"), golden.attr<int64_t>("in_channels"),
        golden.attr<int64_t>("out_channels"), golden.attr<Shape>("ksize"),
        common_options<ConvolutionOptions>(golden));
  });
}

TEST_P(ConvolutionLinksTest, DeconvolutionsFollowChainer) {
  check_convolution<Deconvolution1D, DeconvolutionOptions>("Deconvolution1D");
  check_convolution<Deconvolution2D, DeconvolutionOptions>("Deconvolution2D");
  check_convolution<Deconvolution3D, DeconvolutionOptions>("Deconvolution3D");
  check_link("DeconvolutionND", [](const GoldenCase& golden) {
    return DeconvolutionND(
        golden.attr<int>("ndim"), golden.attr<int64_t>("in_channels"),
        golden.attr<int64_t>("out_channels"), golden.attr<Shape>("ksize"),
        common_options<DeconvolutionOptions>(golden));
  });
}

TEST_P(ConvolutionLinksTest, DeformableConvolution2DFollowsChainer) {
  check_link("DeformableConvolution2D", [](const GoldenCase& golden) {
    return DeformableConvolution2D(golden.attr<int64_t>("in_channels"),
                                   golden.attr<int64_t>("out_channels"),
                                   golden.attr<Shape>("ksize"),
                                   {.pad = golden.attr<Shape>("pad")});
  });
}

TEST_P(ConvolutionLinksTest, DepthwiseConvolution2DFollowsChainer) {
  check_link("DepthwiseConvolution2D", [](const GoldenCase& golden) {
    return DepthwiseConvolution2D(golden.attr<int64_t>("in_channels"),
                                  golden.attr<int64_t>("channel_multiplier"),
                                  golden.attr<Shape>("ksize"),
                                  {.pad = golden.attr<Shape>("pad")});
  });
}

TEST_P(ConvolutionLinksTest, LocalConvolution2DFollowsChainer) {
  check_link("LocalConvolution2D", [](const GoldenCase& golden) {
    return LocalConvolution2D(golden.attr<int64_t>("in_channels"),
                              golden.attr<int64_t>("out_channels"),
                              golden.attr<Shape>("in_size"),
                              golden.attr<Shape>("ksize"));
  });
}

TEST_P(ConvolutionLinksTest, MLPConvolution2DFollowsChainer) {
  check_link("MLPConvolution2D", [](const GoldenCase& golden) {
    EXPECT_EQ(golden.attr<std::string>("activation"), "sigmoid");
    const Shape channels = golden.attr<Shape>("out_channels");
    return MLPConvolution2D(
        golden.attr<int64_t>("in_channels"), {channels.begin(), channels.end()},
        golden.attr<Shape>("ksize"), {.activation = functions::sigmoid});
  });
}

Variable ones(const Shape& shape) {
  return Variable(array::ones(shape, Dtype::kFloat32));
}

TEST_P(ConvolutionLinksTest, InputChannelsAreInferredAtTheFirstCall) {
  Convolution2D convolution(6, {3, 2}, {.pad = 1, .groups = 2});
  EXPECT_FALSE(convolution.W.is_initialized());
  EXPECT_EQ(convolution.b.shape(), Shape({6}));
  EXPECT_EQ(convolution(ones({1, 4, 5, 5})).shape(), Shape({1, 6, 5, 6}));
  EXPECT_EQ(convolution.W.shape(), Shape({6, 2, 3, 2}));

  Deconvolution2D deconvolution(6, 2, {.stride = 2, .groups = 2});
  EXPECT_EQ(deconvolution(ones({1, 4, 3, 3})).shape(), Shape({1, 6, 6, 6}));
  EXPECT_EQ(deconvolution.W.shape(), Shape({4, 3, 2, 2}));

  DepthwiseConvolution2D depthwise(std::nullopt, 2, 3);
  EXPECT_EQ(depthwise(ones({1, 4, 5, 5})).shape(), Shape({1, 8, 3, 3}));
  EXPECT_EQ(depthwise.W.shape(), Shape({2, 4, 3, 3}));
  EXPECT_EQ(depthwise.b.shape(), Shape({8}));

  DeformableConvolution2D deformable(std::nullopt, 2, {2, 3}, {.stride = 2});
  EXPECT_EQ(deformable(ones({1, 4, 5, 5})).shape(), Shape({1, 2, 2, 2}));
  EXPECT_EQ(deformable.offset_conv->W.shape(), Shape({12, 4, 2, 3}));
  EXPECT_EQ(deformable.deform_conv->W.shape(), Shape({2, 4, 2, 3}));

  LocalConvolution2D local(std::nullopt, 2, std::nullopt, 3, {.stride = 2});
  EXPECT_EQ(local(ones({1, 4, 5, 7})).shape(), Shape({1, 2, 2, 3}));
  EXPECT_EQ(local.W.shape(), Shape({2, 2, 3, 4, 3, 3}));
  EXPECT_EQ(local.b.shape(), Shape({2, 2, 3}));
  EXPECT_FALSE(
      LocalConvolution2D(std::nullopt, 2, Spatial{5, 7}, 3).W.is_initialized());
  EXPECT_EQ(LocalConvolution2D(4, 2, Spatial{5, 7}, 3).W.shape(),
            Shape({2, 3, 5, 4, 3, 3}));

  MLPConvolution2D mlp(std::nullopt, {3, 4, 2}, 3, {.pad = 1});
  EXPECT_EQ(mlp(ones({1, 5, 4, 4})).shape(), Shape({1, 2, 4, 4}));
  EXPECT_EQ(mlp.at<Convolution2D>(0).W.shape(), Shape({3, 5, 3, 3}));
}

TEST(ConvolutionOptionsTest, BracesAreAWindowUnlessTheyNameOptions) {
  EXPECT_EQ(Convolution2D(3, 6, {5, 2}).W.shape(), Shape({6, 3, 5, 2}));
  EXPECT_FALSE(Convolution2D(6, {5, 2}).W.is_initialized());
  EXPECT_FALSE(Convolution2D(3, 6, 1, {.nobias = true}).b.defined());
  EXPECT_EQ(Convolution2D(3, 6, 1, {.nobias = true}).params().size(), 1u);
}

TEST(ConvolutionOptionsTest, TheOutputSizeOfADeconvolutionCanBeChosen) {
  Deconvolution2D deconvolution(2, 3, 3, {.stride = 2, .outsize = Spatial{8}});
  EXPECT_EQ(deconvolution(ones({1, 2, 3, 3})).shape(), Shape({1, 3, 8, 8}));
}

TEST(MLPConvolution2DTest, TheActivationIsNotAppliedToTheResult) {
  int calls = 0;
  MLPConvolution2D mlp(1, {2, 2, 2}, 1, {.activation = [&](const Variable& h) {
                         ++calls;
                         return h;
                       }});
  mlp(ones({1, 1, 2, 2}));
  EXPECT_EQ(calls, 2);
  mlp.activation = functions::relu;
  mlp(ones({1, 1, 2, 2}));
  EXPECT_EQ(calls, 2);
}

TEST(ConvolutionLinksErrorTest, NamesWhatDoesNotFit) {
  const auto rejects = [](const auto& call, const std::string& message) {
    EXPECT_THAT(error_of<ValueError>(call), HasSubstr(message));
  };
  rejects([] { Convolution2D(3, 4, 1, {.groups = 2}); },
          "ConvolutionND: expected positive multiples of 2 (groups) as "
          "in_channels and out_channels, got 3 and 4");
  rejects([] { Convolution2D(3, 0, 1); }, "got 3 and 0");
  rejects([] { Convolution2D(3, 2, 0); }, "ksize of at least 1");
  rejects([] { Convolution2D(3, 2, 1, {.stride = 0}); }, "stride of at least");
  rejects([] { Convolution2D(3, 2, 1, {.groups = 0}); }, "groups of at least");
  rejects([] { ConvolutionND(7, 3, 2, 1); }, "ndim of 1 to 6, got 7");
  rejects([] { Deconvolution1D(3, 2, {1, 2}); }, "each of 1 spatial axes");
  rejects([] { Deconvolution2D(3, 2, 1, {.outsize = Spatial{0}}); },
          "outsize of at least 1");
  rejects([] { DepthwiseConvolution2D(0, 2, 1); }, "got 0 and 2");
  rejects(
      [] {
        LocalConvolution2D(1, 2, Spatial{2, 3}, 3);
      },
      "LocalConvolution2D: expected an image no smaller than the window (3, "
      "3), got (2, 3)");
  rejects([] { MLPConvolution2D(1, {}, 3); }, "expected out_channels");
  Convolution2D convolution(4, 3, {.groups = 2});
  EXPECT_THAT(error_of<InvalidType>([&] {
                convolution(ones({1, 4, 5}));
              }),
              HasSubstr("x of 4 axes"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                convolution(ones({1, 3, 5, 5}));
              }),
              HasSubstr("multiple of 2 (groups) as channels of x"));
  LocalConvolution2D local(std::nullopt, 2, std::nullopt, 3);
  EXPECT_THAT(error_of<InvalidType>([&] {
                local(ones({1, 3, 2, 5}));
              }),
              HasSubstr("no smaller than the window"));
}

}  // namespace
}  // namespace catena::links
