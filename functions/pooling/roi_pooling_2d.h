#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

// Pooling over regions of interest (RoI) of images. x is (N, C, h, w),
// floating; each of R regions is split into (h', w') cells, and the result is
// (R, C, h', w').
//
// rois is (R, 4) with x's dtype, rows of (y0, x0, y1, x1); roi_indices is (R,),
// int32, the image index of each region. Coordinates are multiplied by
// spatial_scale. Regions get no gradient.
//
// All throw InvalidType when dtypes, shapes or devices do not match, ValueError
// for an image index out of range (on CUDA this check waits for the device),
// sizes below 1, a scale that is not positive or a sampling_ratio of 2^31
// points or more.
namespace catena::functions {

// The maximum over each cell of regions whose coordinates are rounded to
// integers, with exclusive ends; 0 where a cell is empty. The first of equal
// elements gets the gradient.
Variable roi_max_pooling_2d(const Variable& x, const Array& rois,
                            const Array& roi_indices, const Spatial& outsize,
                            double spatial_scale);
// The mean over each cell, otherwise like roi_max_pooling_2d.
Variable roi_average_pooling_2d(const Variable& x, const Array& rois,
                                const Array& roi_indices,
                                const Spatial& outsize, double spatial_scale);

// The older form of roi_max_pooling_2d: rois is (R, 5), rows of (image, x0, y0,
// x1, y1), with inclusive ends.
//
// Girshick: Fast R-CNN, 2015.
Variable roi_pooling_2d(const Variable& x, const Array& rois, int64_t outh,
                        int64_t outw, double spatial_scale);

struct RoiAlignOptions {
  NamedFieldsOnly keywords = {};
  // Sampling points along each axis of a cell; by default about one element
  // apart.
  std::optional<Spatial> sampling_ratio = std::nullopt;
};

// RoIAlign, the mean over sampling points in each cell, where the image is
// interpolated bilinearly. Coordinates are not rounded; points outside the
// image count as 0.
//
// He, Gkioxari, Dollar, Girshick: Mask R-CNN, 2017.
Variable roi_average_align_2d(const Variable& x, const Array& rois,
                              const Array& roi_indices, const Spatial& outsize,
                              double spatial_scale,
                              const RoiAlignOptions& options = {});
// The maximum over sampling points in each cell that are inside the image, or 0
// if there are none; otherwise like roi_average_align_2d.
Variable roi_max_align_2d(const Variable& x, const Array& rois,
                          const Array& roi_indices, const Spatial& outsize,
                          double spatial_scale,
                          const RoiAlignOptions& options = {});

}  // namespace catena::functions
