#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"

// Builds image files for tests, byte by byte.
namespace catena::testing {

enum class PngColor : char {
  kGray = 0,
  kRgb = 2,
  kPalette = 3,
  kGrayAlpha = 4,
  kRgba = 6,
};

struct PngImage {
  uint32_t width;
  uint32_t height;
  PngColor color = PngColor::kGray;
  char depth = 8;
  bool interlaced = false;
  std::vector<std::string>
      lines;  // the bytes of each row, without the filter byte
  std::string more_chunks = {};  // before the pixels
};

// A chunk with its length and checksum.
std::string png_chunk(std::string_view type, std::string_view data);
std::string png_file(const PngImage& image);

enum class JpegKind { kBaseline, kProgressive };

// (H, W, C), uint8; one, three (RGB) or four channels (CMYK, stored inverted).
std::string jpeg_file(const Array& pixels, JpegKind kind = JpegKind::kBaseline);

}  // namespace catena::testing
