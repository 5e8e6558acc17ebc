#pragma once

#include <utility>

#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::datasets {

struct GetDigitsOptions {
  bool withlabel = true;
  // An image as (64,), (8, 8) or (1, 8, 8).
  int ndim = 1;
  // Pixels lie in [0, scale].
  double scale = 1.0;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
};

// 1,797 handwritten digits, which come with catena (dataset/data/README.md):
// 1,437 to train and 360 to test, in an order that is random but always the
// same. Examples are (image, label), or images alone. IoError when the file is
// not found or damaged, ValueError on another ndim.
std::pair<TupleDataset, TupleDataset> get_digits(
    const GetDigitsOptions& options = {});

}  // namespace catena::datasets
