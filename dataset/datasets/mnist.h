#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::datasets {

struct GetMnistOptions {
  NamedFieldsOnly keywords = {};
  bool withlabel = true;
  // An image as (784,), (28, 28) or (1, 28, 28).
  int ndim = 1;
  // Pixels are in [0, scale].
  double scale = 1.0;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
  // With ndim 3, repeats the channel to (3, 28, 28).
  bool rgb_format = false;
  // The folder of the four IDX files, train-images-idx3-ubyte and so on, each
  // compressed (.gz) or not. If it has only the two t10k files, their first 80
  // % are used for training and the rest for testing. If empty, the files are
  // downloaded once and kept below dataset::get_dataset_root().
  std::string data_dir = {};
  LoadLimits limits = {};
};

// MNIST's handwritten digits: 60,000 for training and 10,000 for testing, as
// (image, label) or only images. Throws IoError when a file is missing,
// damaged, inconsistent with the others, or cannot be downloaded; ValueError
// for another ndim.
std::pair<TupleDataset, TupleDataset> get_mnist(
    const GetMnistOptions& options = {});

// Fashion-MNIST's articles of clothing and Kuzushiji-MNIST's characters, with
// MNIST's format, file names and errors, and the names of their ten classes.
std::pair<TupleDataset, TupleDataset> get_fashion_mnist(
    const GetMnistOptions& options = {});
std::vector<std::string> get_fashion_mnist_labels();
std::pair<TupleDataset, TupleDataset> get_kuzushiji_mnist(
    const GetMnistOptions& options = {});
std::vector<std::string> get_kuzushiji_mnist_labels();

}  // namespace catena::datasets
