#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/dataset/datasets/mnist.h"

// Shared by MNIST and the datasets in its format.
namespace catena::datasets {

struct IdxImages {
  // SHA-256 of the compressed files: training images, training labels, test
  // images, test labels.
  using Hashes = std::array<const char*, 4>;

  std::string_view operation;        // for error messages
  std::string_view folder;           // below the dataset root
  std::vector<std::string> servers;  // URL prefixes of the file names
  Hashes sha256;
};

std::pair<TupleDataset, TupleDataset> get_idx_images(
    const IdxImages& source, const GetMnistOptions& options);

}  // namespace catena::datasets
