#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "catena/array/array.h"

// Pictures to classify, for programs that learn without a data set.
namespace catena::examples {

// A picture of a shape (see drawing.h) of random place, size, angle and color,
// on a background of other random shapes in fainter colors, with noise: (3,
// size, size), float32, in [0, 255].
Array draw_random_shape(const std::string& shape, int64_t size,
                        std::mt19937& random);

}  // namespace catena::examples
