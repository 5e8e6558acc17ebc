#pragma once

#include <string>
#include <utility>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::datasets {

struct GetCifarOptions {
  NamedFieldsOnly keywords = {};
  bool withlabel = true;
  // An image as (3072,) or (3, 32, 32).
  int ndim = 3;
  // Pixels are in [0, scale].
  double scale = 1.0;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
  // The folder of the archive cifar-10-binary.tar.gz or
  // cifar-100-binary.tar.gz, or of the .bin files in it. Without one, the
  // archive is downloaded once and kept below dataset::get_dataset_root().
  std::string data_dir = {};
  LoadLimits limits = {};
};

// CIFAR's color images of 10 classes, or of 100 (the fine labels): 50,000 for
// training and 10,000 for testing, as (image, label) or only images; A.
// Krizhevsky (2009). Throws IoError when a file is missing or damaged or cannot
// be downloaded, ValueError for another ndim.
std::pair<TupleDataset, TupleDataset> get_cifar10(
    const GetCifarOptions& options = {});
std::pair<TupleDataset, TupleDataset> get_cifar100(
    const GetCifarOptions& options = {});

}  // namespace catena::datasets
