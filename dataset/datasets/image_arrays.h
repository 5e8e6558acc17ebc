#pragma once

#include <string_view>

#include "catena/array/array.h"
#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::datasets {

// The format of examples that image loaders return; the fields are those of
// their options.
struct ImageFormat {
  bool withlabel = true;
  int ndim = 1;
  double scale = 1.0;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
  bool rgb_format = false;
};

// A dataset of (image, label), or of images without labels, from images with
// values from 0 to `largest`, scaled to [0, scale], and labels (N,). Images (N,
// H, W) give examples of shape (H * W,), (H, W) or (1, H, W) depending on ndim,
// or (3, H, W) with rgb_format; images (N, C, H, W) give (C * H * W,) or (C, H,
// W). Throws ValueError, naming `operation`, for another ndim or for rgb_format
// with ndim below 3.
TupleDataset image_dataset(const Array& images, const Array& labels,
                           double largest, const ImageFormat& format,
                           std::string_view operation);

// Throws IoError, starting with `where`, unless all labels (uint8, native:0)
// are below `classes`.
void check_labels(const Array& labels, int classes, std::string_view where);

}  // namespace catena::datasets
