#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::datasets {

struct GetMnistOptions {
  bool withlabel = true;
  // An image as (784,), (28, 28) or (1, 28, 28).
  int ndim = 1;
  // Pixels lie in [0, scale].
  double scale = 1.0;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
  // With ndim 3, repeats the channel to (3, 28, 28).
  bool rgb_format = false;
  // The folder of the four IDX files, train-images-idx3-ubyte and so on, each
  // compressed (.gz) or not. One that has only the two t10k files gives their
  // first 8 tenths to train and the others to test. Without one, the files are
  // downloaded once and kept below dataset::get_dataset_root().
  std::string data_dir = {};
  LoadLimits limits = {};
};

// MNIST's handwritten digits: 60,000 to train and 10,000 to test, as (image,
// label) or images alone. IoError when a file is missing, damaged or does not
// fit the others, or cannot be downloaded; ValueError on another ndim.
std::pair<TupleDataset, TupleDataset> get_mnist(
    const GetMnistOptions& options = {});

// Fashion-MNIST's articles of clothing and Kuzushiji-MNIST's characters, which
// have MNIST's form, files and errors, and the names of their ten classes.
std::pair<TupleDataset, TupleDataset> get_fashion_mnist(
    const GetMnistOptions& options = {});
std::vector<std::string> get_fashion_mnist_labels();
std::pair<TupleDataset, TupleDataset> get_kuzushiji_mnist(
    const GetMnistOptions& options = {});
std::vector<std::string> get_kuzushiji_mnist_labels();

}  // namespace catena::datasets
