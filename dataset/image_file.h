#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::dataset {

// Which channels an image has when it has been read.
enum class ImageColor {
  kAsInFile,
  kGray,  // 0.299 R + 0.587 G + 0.114 B
  kRgb,
};

struct ReadImageOptions {
  NamedFieldsOnly keywords = {};
  ImageColor color = ImageColor::kAsInFile;
  LoadLimits limits = {};
};

// Reads a PNG or JPEG file, detecting the format from its first bytes. Returns
// the pixels on native:0, in Pillow's format:
//
//   gray                          (H, W) uint8; uint16 from a 16-bit PNG
//   gray, alpha                   (H, W, 2) uint8
//   red, green, blue              (H, W, 3) uint8
//   red, green, blue, alpha       (H, W, 4) uint8
//   cyan, magenta, yellow, black  (H, W, 4) uint8, 255 is full ink; JPEG
//
// Palettes are expanded to red, green, blue, and gray with fewer than 8 bits is
// scaled to [0, 255], where Pillow returns indices and booleans. 16-bit color
// is reduced to its upper 8 bits. With `color`, pixels are converted to it:
// always uint8, without alpha. Gamma and orientation are ignored.
//
// Throws IoError naming the file, expected and actual when it is of another
// format, truncated or damaged, or exceeds the limits. The image size is
// checked against the file size before pixels are decoded.
Array read_image(const std::string& path, const ReadImageOptions& options = {});
// The same for a file in memory; `name` replaces its path in error messages.
Array decode_image(std::span<const char> bytes, std::string_view name,
                   const ReadImageOptions& options = {});

struct WriteImageOptions {
  NamedFieldsOnly keywords = {};
  // The quality of a JPEG, from 1 to 100 (best).
  int64_t quality = 95;
};
// Writes an array as a JPEG if the path ends in .jpg or .jpeg, in letters of
// either case, and as a PNG otherwise: (H, W) or (1, H, W) as gray, (3, H, W)
// as red, green, blue, and in a PNG (4, H, W) with alpha. Any device, any
// layout. uint8 is written as it is; floats are multiplied by 255 and rounded,
// where values outside of [0, 1] count as the nearer end, and NaN as 0, as with
// torchvision's save_image. The file appears complete or not at all, even if
// the process is killed, but is not flushed to the disk.
//
// read_image returns the channels last: `image.transpose({2, 0, 1})` puts them
// first. Throws ShapeError or DtypeError for other arrays, ValueError for
// another quality; IoError, naming the file, when it cannot be written.
void write_image(const std::string& path, const Array& image,
                 const WriteImageOptions& options = {});

struct WriteImageGridOptions {
  NamedFieldsOnly keywords = {};
  int64_t columns = 8;   // at most; a smaller batch has one row
  int64_t padding = 2;   // black pixels around each image
  int64_t quality = 95;  // as in WriteImageOptions
};
// Writes a batch of images, (N, C, H, W), as a single one, row by row; else
// like write_image. Throws ValueError for columns < 1, padding < 0 and an empty
// batch.
void write_image_grid(const std::string& path, const Array& images,
                      const WriteImageGridOptions& options = {});

}  // namespace catena::dataset
