#pragma once

#include <utility>

#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::datasets {

struct GetDigitsOptions {
  NamedFieldsOnly keywords = {};
  bool withlabel = true;
  // An image as (64,), (8, 8) or (1, 8, 8).
  int ndim = 1;
  // Pixels are in [0, scale].
  double scale = 1.0;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
};

// 1,797 handwritten digits, which ship with catena (dataset/data/README.md):
// 1,437 for training and 360 for testing, in a fixed random order. Examples are
// (image, label), or only images. Throws IoError when the file is not found or
// damaged, ValueError for another ndim.
std::pair<TupleDataset, TupleDataset> get_digits(
    const GetDigitsOptions& options = {});

}  // namespace catena::datasets
