#pragma once

#include <string_view>

#include "catena/array/array.h"
#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::datasets {

// How loaders of images hand them out; the fields are those of their options.
struct ImageFormat {
  bool withlabel = true;
  int ndim = 1;
  double scale = 1.0;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
  bool rgb_format = false;
};

// Images (N, H, W) of values from 0 to `largest` and their labels (N,) as a
// dataset: of (image, label), or of images without labels. Values are scaled
// to [0, scale]; an image has the shape (H * W,), (H, W) or (1, H, W), or (3,
// H, W) with rgb_format, by ndim. ValueError, naming `operation`, on another
// ndim or on rgb_format with ndim below 3.
TupleDataset image_dataset(const Array& images, const Array& labels,
                           double largest, const ImageFormat& format,
                           std::string_view operation);

}  // namespace catena::datasets
