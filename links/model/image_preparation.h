#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Converts photographs to inputs of image classifiers.
namespace catena::links {

// In pixels.
struct ImageSize {
  int64_t width;
  int64_t height;
};

// Converts an image to float32 (3, height, width) on the CPU: optionally
// resized, with channels in the order blue, green, red and `mean` subtracted.
//
// The image has values from 0 to 255 in any dtype, and shape (h, w), (1, h, w),
// (h, w, 3) or (3, h, w) with channels in the order red, green, blue. Throws
// ValueError for any other shape or an empty image or size. Resizing is
// Pillow's bicubic: a cubic with a = -0.5, widened for downscaling, rounded to
// integers after resizing the width and again after the height.
Array prepare_image(const Array& image, const std::optional<ImageSize>& size,
                    const std::array<float, 3>& mean);

// Ten crops of each image in (N, C, h, w): corners and center, of the given
// size, and their mirror images; (10 N, C, height, width). Throws ValueError
// unless the size is positive and no image is smaller.
Array oversample_images(const Array& images, const ImageSize& size);

}  // namespace catena::links
