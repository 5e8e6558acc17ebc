#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::dataset {

enum class ImageColor {
  kAsInFile,
  kGray,  // 0.299 R + 0.587 G + 0.114 B
  kRgb,
};

struct ReadImageOptions {
  ImageColor color = ImageColor::kAsInFile;
  LoadLimits limits = {};
};

// The pixels of a PNG or JPEG file, which are told apart by their first bytes.
// On native:0, by what the file has, as Pillow gives them:
//
//   gray                          (H, W) uint8; uint16 from a 16-bit PNG
//   gray, alpha                   (H, W, 2) uint8
//   red, green, blue              (H, W, 3) uint8
//   red, green, blue, alpha       (H, W, 4) uint8
//   cyan, magenta, yellow, black  (H, W, 4) uint8, 255 being full ink; JPEG
//
// A palette's colors come as red, green, blue, gray of less than 8 bits is
// scaled to [0, 255], where Pillow gives indices and booleans. Of color with 16
// bits there are the upper 8. With a `color` the pixels are converted to it:
// always uint8, without alpha. Neither gamma nor orientation is applied.
//
// IoError naming the file, what was expected and what came when it is neither
// of them, truncated or damaged, or exceeds the limits; pixels are decoded only
// when the file's size makes their number plausible.
Array read_image(const std::string& path, const ReadImageOptions& options = {});
// The same of a file in memory; `name` stands for its path in messages.
Array decode_image(std::span<const char> bytes, std::string_view name,
                   const ReadImageOptions& options = {});

}  // namespace catena::dataset
