#pragma once

#include <string>
#include <utility>

#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::examples {

// Images of handwritten digits with labels, for training and testing: "digits"
// (8x8 pixels) ships with catena, "mnist" (28x28) is downloaded once or read
// from data_dir. Images are flat with ndim 1, (1, height, width) with ndim 3.
// Throws ValueError for another name.
std::pair<datasets::TupleDataset, datasets::TupleDataset> load_digit_images(
    const std::string& dataset, const std::string& data_dir, int ndim = 1);

}  // namespace catena::examples
