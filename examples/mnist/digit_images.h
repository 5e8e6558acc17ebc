#pragma once

#include <string>
#include <utility>

#include "catena/dataset/datasets/tuple_dataset.h"

namespace catena::examples {

// Images of handwritten digits with their labels, to train and to test:
// "digits" ships with catena (8x8 pixels), "mnist" (28x28) is downloaded once
// or read from data_dir. An image is flat with ndim 1, and (1, height, width)
// with ndim 3. ValueError for another name.
std::pair<datasets::TupleDataset, datasets::TupleDataset> load_digit_images(
    const std::string& dataset, const std::string& data_dir, int ndim = 1);

}  // namespace catena::examples
