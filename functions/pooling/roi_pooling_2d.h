#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

// Pooling over regions of images. x is (N, C, h, w), floating; each of R
// regions is split into (h', w') cells, and the result is (R, C, h', w').
//
// rois is (R, 4) and of x's dtype, rows of (y0, x0, y1, x1); roi_indices is
// (R,), int32, the image of each. Positions are multiplied with spatial_scale.
// Regions get no gradient.
//
// All throw InvalidType when dtypes, shapes or devices do not fit, ValueError
// for an image that is not there, sizes below 1 or a scale that is not positive
// (on CUDA, finding an image out waits for the device).
namespace catena::functions {

// The largest element of each cell, of regions that begin and end at whole
// elements, without their ends; 0 where a cell is empty. Of equal elements the
// first one gets the gradient.
Variable roi_max_pooling_2d(const Variable& x, const Array& rois,
                            const Array& roi_indices, const Spatial& outsize,
                            double spatial_scale);
// The mean instead.
Variable roi_average_pooling_2d(const Variable& x, const Array& rois,
                                const Array& roi_indices,
                                const Spatial& outsize, double spatial_scale);

// roi_max_pooling_2d in its older form: rois is (R, 5), rows of (image, x0, y0,
// x1, y1), whose ends are inside.
//
// Girshick: Fast R-CNN, 2015.
Variable roi_pooling_2d(const Variable& x, const Array& rois, int64_t outh,
                        int64_t outw, double spatial_scale);

struct RoiAlignOptions {
  // Points along each axis of a cell; defaults to so many that they are about
  // one element apart.
  std::optional<Spatial> sampling_ratio = std::nullopt;
};

// The mean over points in each cell, at which the image is interpolated between
// its elements. Positions are not rounded; points outside of the image count as
// 0.
//
// He, Gkioxari, Dollar, Girshick: Mask R-CNN, 2017.
Variable roi_average_align_2d(const Variable& x, const Array& rois,
                              const Array& roi_indices, const Spatial& outsize,
                              double spatial_scale,
                              const RoiAlignOptions& options = {});
// The largest of the points inside of the image instead; 0 without any.
Variable roi_max_align_2d(const Variable& x, const Array& rois,
                          const Array& roi_indices, const Spatial& outsize,
                          double spatial_scale,
                          const RoiAlignOptions& options = {});

}  // namespace catena::functions
