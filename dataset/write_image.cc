#include <algorithm>
#include <cctype>
#include <filesystem>
#include <new>
#include <string>

#include "catena/array/core/dtype.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/io/atomic_file.h"
#include "catena/dataset/image_encoders.h"
#include "catena/dataset/image_file.h"

namespace catena::dataset {
namespace {

bool is_jpeg(const std::string& path) {
  std::string suffix = std::filesystem::path(path).extension().string();
  for (char& c : suffix) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return suffix == ".jpg" || suffix == ".jpeg";
}

bool is_channel_count(int64_t extent, const std::string& path) {
  return extent == 1 || extent == 3 || (extent == 4 && !is_jpeg(path));
}

void check_dtype(const Array& image, const std::string& where) {
  if (image.dtype() == Dtype::kUInt8 || is_floating(image.dtype())) return;
  raise<DtypeError>(where,
                    ": expected pixels as uint8, or as floats in [0, 1], got ",
                    image.dtype());
}

// Checks (C, H, W) at the end of a shape.
void check_shape(const Array& image, const std::string& path,
                 const std::string& where, std::string_view expected) {
  const Shape& shape = image.shape();
  const int axes = shape.ndim();
  if (is_channel_count(shape[axes - 3], path) && shape[axes - 2] > 0 &&
      shape[axes - 1] > 0) {
    return;
  }
  raise<ShapeError>(where, ": expected ", expected,
                    is_jpeg(path) ? " with 1 or 3 channels, as JPEGs have,"
                                  : " with 1, 3 or 4 channels",
                    " and at least one pixel, got ", shape,
                    is_channel_count(shape[axes - 1], path)
                        ? "; transpose images whose channels come last"
                        : "");
}

// NaN is 0, since every comparison with it is false.
uint8_t level_of(float value) {
  if (value >= 1) return 255;
  return value > 0 ? static_cast<uint8_t>(value * 255 + 0.5f) : 0;
}

// The same shape, uint8, on native:0.
Array levels_of(const Array& image) {
  const Array host = image.to_device(native_device());
  if (host.dtype() == Dtype::kUInt8) return host;
  const Array values =
      host.astype(Dtype::kFloat32, Array::CopyPolicy::kIfNeeded).contiguous();
  const Array levels =
      array::empty(values.shape(), Dtype::kUInt8, native_device());
  const auto* from = values.data<float>();
  std::transform(from, from + values.size(), levels.data<uint8_t>(), level_of);
  return levels;
}

void check_quality(int64_t quality, const std::string& where) {
  if (quality >= 1 && quality <= 100) return;
  raise<ValueError>(where, ": expected a quality from 1 to 100, got ", quality);
}

// `levels` are (C, H, W).
void write_file(const std::string& path, std::string_view operation,
                const Array& levels, int64_t quality) {
  array::AtomicFile file(path, operation);
  const Array pixels = levels.transpose({1, 2, 0}).contiguous();
  file.write(is_jpeg(path) ? encode_jpeg(pixels, quality, file.where())
                           : encode_png(pixels, file.where()));
  file.commit_unflushed();
}

std::string where_of(std::string_view operation, const std::string& path) {
  return str(operation, ": ", array::quote_path(path));
}

}  // namespace

void write_image(const std::string& path, const Array& image,
                 const WriteImageOptions& options) try {
  const std::string where = where_of("write_image", path);
  check_quality(options.quality, where);
  constexpr std::string_view expected = "an image (H, W) or (C, H, W)";
  if (image.ndim() != 2 && image.ndim() != 3) {
    raise<ShapeError>(
        where, ": expected ", expected, ", got ", image.shape(),
        image.ndim() == 4 ? "; write_image_grid writes several images" : "");
  }
  const Array channels = image.ndim() == 2 ? image.expand_dims(0) : image;
  check_shape(channels, path, where, expected);
  check_dtype(image, where);
  write_file(path, "write_image", levels_of(channels), options.quality);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("write_image");
}

void write_image_grid(const std::string& path, const Array& images,
                      const WriteImageGridOptions& options) try {
  const std::string where = where_of("write_image_grid", path);
  check_quality(options.quality, where);
  constexpr std::string_view expected = "images (N, C, H, W)";
  if (options.columns < 1 || options.padding < 0) {
    raise<ValueError>(where, ": expected columns >= 1 and padding >= 0, got ",
                      options.columns, " and ", options.padding);
  }
  if (images.ndim() != 4) {
    raise<ShapeError>(where, ": expected ", expected, ", got ", images.shape());
  }
  check_shape(images, path, where, expected);
  check_dtype(images, where);
  const int64_t count = images.shape()[0];
  if (count == 0) {
    raise<ValueError>(where, ": expected at least one image, got ",
                      images.shape());
  }
  const int64_t columns = std::min(options.columns, count);
  const int64_t rows = (count + columns - 1) / columns;
  const int64_t padding = options.padding;
  const int64_t height = images.shape()[2];
  const int64_t width = images.shape()[3];
  const Array grid =
      array::zeros({images.shape()[1], rows * (height + padding) + padding,
                    columns * (width + padding) + padding},
                   Dtype::kUInt8, native_device());
  const Array levels = levels_of(images);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t top = padding + i / columns * (height + padding);
    const int64_t left = padding + i % columns * (width + padding);
    grid[{Slice(), Slice(top, top + height), Slice(left, left + width)}].assign(
        levels[i]);
  }
  write_file(path, "write_image_grid", grid, options.quality);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("write_image_grid");
}

}  // namespace catena::dataset
