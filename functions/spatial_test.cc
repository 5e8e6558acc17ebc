#include "catena/functions/spatial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

TEST(SpatialTest, OneNumberStandsForEveryAxis) {
  EXPECT_EQ(Spatial(2).on_axes(3, 1, "f", "stride"), Shape({2, 2, 2}));
  EXPECT_EQ(Spatial({2, 0}).on_axes(2, 0, "f", "pad"), Shape({2, 0}));
  EXPECT_EQ(Spatial(Shape{4}).on_axes(2, 1, "f", "ksize"), Shape({4, 4}));
}

TEST(SpatialTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(
      error_of<ValueError>([] {
        Spatial({1, 2}).on_axes(3, 1, "convolution_3d", "stride");
      }),
      HasSubstr("convolution_3d: expected one number as stride or one for "
                "each of 3 spatial axes, got (1, 2)"));
  EXPECT_THAT(
      error_of<ValueError>(
          [] { Spatial(-1).on_axes(2, 0, "convolution_2d", "pad"); }),
      HasSubstr("convolution_2d: expected pad of at least 0, got (-1,)"));
  EXPECT_THAT(
      error_of<ValueError>(
          [] { Spatial(int64_t{1} << 31).on_axes(2, 1, "f", "stride"); }),
      HasSubstr("f: expected stride of at most 2147483647, got (2147483648,)"));
}

// chainer 7.8.1: chainer.utils.get_conv_outsize
TEST(SpatialTest, OutputSizesAreChainers) {
  EXPECT_EQ(get_conv_outsize(10, 3, 1, 0), 8);
  EXPECT_EQ(get_conv_outsize(10, 3, 2, 1), 5);
  EXPECT_EQ(get_conv_outsize(10, 3, 2, 1, true), 6);
  EXPECT_EQ(get_conv_outsize(10, 3, 1, 0, false, 3), 4);
  EXPECT_EQ(get_conv_outsize(2, 3, 1, 0), 0);
  EXPECT_EQ(get_conv_outsize(2, 5, 2, 0), -1);
  EXPECT_EQ(get_conv_outsize(2, 4, 3, 0), 0);
  EXPECT_EQ(get_deconv_outsize(5, 3, 2, 1), 9);
  EXPECT_EQ(get_deconv_outsize(5, 3, 2, 1, true), 8);
  EXPECT_EQ(get_deconv_outsize(4, 3, 1, 0, false, 3), 10);
}

TEST(SpatialTest, TheDeconvolutionsSizeIsTheLeastThatConvolvesToTheInputs) {
  for (const bool cover_all : {false, true}) {
    for (int64_t s = 1; s < 4; ++s) {
      for (int64_t d = 1; d < 3; ++d) {
        const int64_t size = get_deconv_outsize(6, 3, s, 1, cover_all, d);
        EXPECT_EQ(get_conv_outsize(size, 3, s, 1, cover_all, d), 6);
        EXPECT_EQ(get_conv_outsize(size - 1, 3, s, 1, cover_all, d), 5);
      }
    }
  }
}

}  // namespace
}  // namespace catena::functions
