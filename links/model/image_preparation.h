#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// From photographs to what image classifiers take.
namespace catena::links {

struct ImageSize {
  int64_t width;
  int64_t height;
};

// An image as float32 (3, height, width) on the CPU: resized if asked to, its
// channels in the order blue, green, red, with `mean` subtracted from them.
//
// The image has numbers from 0 to 255 of any dtype, and shape (h, w), (1, h,
// w), (h, w, 3) or (3, h, w) with channels in the order red, green, blue.
// ValueError for another shape or an empty image or size. Resizing is Pillow's
// bicubic: a cubic with a = -0.5, widened where the image shrinks, rounded to
// whole numbers along the width and then along the height.
Array prepare_image(const Array& image, const std::optional<ImageSize>& size,
                    const std::array<float, 3>& mean);

// Ten views of each image in (N, C, h, w): its corners and its center, of that
// size, and their mirror images; (10 N, C, height, width). ValueError when an
// image is smaller.
Array oversample_images(const Array& images, const ImageSize& size);

}  // namespace catena::links
