#pragma once

#include <string>
#include <utility>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::datasets {

struct GetSvhnOptions {
  NamedFieldsOnly keywords = {};
  bool withlabel = true;
  // Pixels are in [0, scale].
  double scale = 1.0;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
  // The folder of train_32x32.mat and test_32x32.mat. Without one, they are
  // downloaded once and kept below dataset::get_dataset_root().
  std::string data_dir = {};
  LoadLimits limits = {};
};

// Street View House Numbers, cropped: 73,257 digits for training and 26,032 for
// testing, as (image, label) with images (3, 32, 32), or only images; Y. Netzer
// et al. (2011). The digit 0, labeled 10 in the files, has label 0 here.
// Throws IoError when a file is missing or damaged or cannot be downloaded.
std::pair<TupleDataset, TupleDataset> get_svhn(
    const GetSvhnOptions& options = {});

}  // namespace catena::datasets
