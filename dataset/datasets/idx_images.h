#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/dataset/datasets/mnist.h"

// What MNIST and the sets that took its form share.
namespace catena::datasets {

struct IdxImages {
  // SHA-256 of the images and labels to train, then of those to test,
  // compressed.
  using Hashes = std::array<const char*, 4>;

  std::string_view operation;        // for messages
  std::string_view folder;           // below the root of data sets
  std::vector<std::string> servers;  // what comes before a file's name
  Hashes sha256;
};

std::pair<TupleDataset, TupleDataset> get_idx_images(
    const IdxImages& source, const GetMnistOptions& options);

}  // namespace catena::datasets
