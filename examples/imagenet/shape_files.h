#pragma once

#include <cstdint>
#include <string>

#include "catena/examples/imagenet/preprocessed_dataset.h"

namespace catena::examples {

// Draws JPEG pictures of shapes, all of size x size pixels and with one of
// eight labels: n_train to train with, a fifth as many to evaluate with, their
// lists, and the mean of the first. They come into a folder inside `folder`,
// which is named after the sizes; if it has them already, nothing is drawn.
// Throws IoError when they cannot be written.
PictureFiles draw_shape_files(const std::string& folder, int64_t size,
                              int64_t n_train);

}  // namespace catena::examples
