// Pooling over regions of interest.

#include <gmock/gmock.h>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/functions/pooling/roi_pooling_2d.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class RoiTest : public testing::DeviceTest {
 protected:
  Array rois = array::array({{0.0, 0.0, 3.0, 4.0},
                             {1.0, 2.0, 4.0, 5.0},
                             {-9.0, -9.0, 99.0, 99.0},
                             {50.0, 50.0, 60.0, 60.0}});
  Array images = array::array({0, 1, 0, 1}, Dtype::kInt32);
  // Distinct numbers, so that no small step changes which is the largest.
  static Array distinct(const Shape& shape) {
    const Array order = array::arange(size_of(shape)) * 7 % 97;
    return (order.astype(Dtype::kFloat64) / 10.0).reshape(shape);
  }
};
INSTANTIATE_TEST_SUITE_P(Roi, RoiTest, testing::every_device(),
                         testing::device_name);

TEST_P(RoiTest, GradientsMatchFiniteDifferences) {
  const Array x = distinct({2, 2, 4, 5});
  testing::check_function_gradients(
      [&](const Variable& x) {
        return roi_max_pooling_2d(x, rois, images, 2, 1);
      },
      {x});
  testing::check_function_gradients(
      [&](const Variable& x) {
        return roi_average_pooling_2d(x, rois, images, {2, 3}, 1);
      },
      {x});
  testing::check_function_gradients(
      [&](const Variable& x) {
        return roi_max_align_2d(x, rois, images, 2, 1, {.sampling_ratio = 2});
      },
      {x});
  testing::check_function_gradients(
      [&](const Variable& x) {
        return roi_average_align_2d(x, rois, images, 2, 1);
      },
      {x});
  testing::check_function_gradients(
      [&](const Variable& x) {
        return roi_max_pooling_2d(x, array::zeros({0, 4}),
                                  array::zeros({0}, Dtype::kInt32), 2, 1);
      },
      {x});
}

TEST_P(RoiTest, RegionsOutsideAreZero) {
  const Variable x(array::ones({2, 1, 4, 5}));
  const auto outside = [&](const Variable& y) { return y.data()[3]; };
  const Array zeros = array::zeros({1, 2, 2});
  EXPECT_THAT(outside(roi_max_pooling_2d(x, rois, images, 2, 1)),
              testing::IsArray(zeros));
  EXPECT_THAT(outside(roi_average_pooling_2d(x, rois, images, 2, 1)),
              testing::IsArray(zeros));
  EXPECT_THAT(outside(roi_max_align_2d(x, rois, images, 2, 1)),
              testing::IsArray(zeros));
  EXPECT_THAT(outside(roi_average_align_2d(x, rois, images, 2, 1)),
              testing::IsArray(zeros));
}

// Images beyond the input would send the gradient anywhere.
TEST_P(RoiTest, WhatTheCallerWritesToRegionsBeforeBackwardHasNoEffect) {
  const Array numbers = images.astype(rois.dtype()).expand_dims(1);
  const Array whole = array::concatenate({numbers, rois}, 1);
  const auto gradient = [](const Variable& x, const Variable& y,
                           std::initializer_list<Array> changed) {
    for (const Array& regions : changed) regions.fill(1000);
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    return x.grad();
  };
  const Array input = distinct({2, 2, 4, 5});
  const Variable x(input);
  const Variable z(input);
  const Array own = whole.copy();
  EXPECT_THAT(
      gradient(x, roi_pooling_2d(x, own, 2, 2, 1), {own}),
      testing::IsArray(gradient(z, roi_pooling_2d(z, whole, 2, 2, 1), {})));
  const Variable u(input);
  const Variable v(input);
  const Array boxes = rois.copy();
  const Array of = images.copy();
  EXPECT_THAT(
      gradient(u, roi_average_align_2d(u, boxes, of, 2, 1), {boxes, of}),
      testing::IsArray(
          gradient(v, roi_average_align_2d(v, rois, images, 2, 1), {})));
}

TEST(RoiErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 1, 4, 5}));
  const Array rois = array::zeros({3, 4});
  const Array images = array::zeros({3}, Dtype::kInt32);
  EXPECT_THAT(error_of<InvalidType>([&] {
                roi_max_pooling_2d(Variable(array::zeros({2})), rois, images, 2,
                                   1);
              }),
              HasSubstr("roi_max_pooling_2d: expected x floating with 4 axes"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { roi_pooling_2d(x, rois, 2, 2, 1); }),
      HasSubstr("expected rois float64 (R, 5) on native:0, got float64 (3, "
                "4) on native:0"));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        roi_average_pooling_2d(x, rois, images[{Slice(0, 2)}], 2, 1);
      }),
      HasSubstr("expected roi_indices int32 (3,) on native:0, got int32 (2,)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                roi_max_align_2d(x, rois, array::full({3}, 2, Dtype::kInt32), 2,
                                 1);
              }),
              HasSubstr("expected image indices from 0 to 1, got 2"));
  EXPECT_THAT(error_of<ValueError>([&] {
                roi_pooling_2d(x, array::full({1, 5}, -1.0), 2, 2, 1);
              }),
              HasSubstr("got -1"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { roi_average_align_2d(x, rois, images, 0, 1); }),
              HasSubstr("outsize of at least 1"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { roi_average_align_2d(x, rois, images, 2, 0); }),
              HasSubstr("expected a positive spatial_scale, got 0"));
  EXPECT_THAT(error_of<ValueError>([&] {
                roi_max_align_2d(x, rois, images, 2, 1, {.sampling_ratio = 0});
              }),
              HasSubstr("sampling_ratio of at least 1"));
}

}  // namespace
}  // namespace catena::functions
