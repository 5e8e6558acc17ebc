#include "catena/dataset/testing/encoded_images.h"

#include <zlib.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
// It needs the two above.
#include <jpeglib.h>

#include "catena/dataset/testing/idx_files.h"

namespace catena::testing {
namespace {

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}

}  // namespace

std::string png_chunk(std::string_view type, std::string_view data) {
  std::string content(type);
  content += data;
  const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                          static_cast<uInt>(content.size()));
  return big_endian(static_cast<uint32_t>(data.size())) + content +
         big_endian(static_cast<uint32_t>(crc));
}

std::string png_file(const PngImage& image) {
  std::string header = big_endian(image.width) + big_endian(image.height);
  header += image.depth;
  header += static_cast<char>(image.color);
  header += std::string("\0\0", 2);  // the one compression and set of filters
  header += static_cast<char>(image.interlaced);
  std::string lines;
  for (const std::string& line : image.lines) lines += '\0' + line;
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + image.more_chunks +
         png_chunk("IDAT", deflated(lines)) + png_chunk("IEND", "");
}

std::string jpeg_file(const Array& pixels, JpegKind kind) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_height = static_cast<JDIMENSION>(pixels.shape()[0]);
  info.image_width = static_cast<JDIMENSION>(pixels.shape()[1]);
  info.input_components = static_cast<int>(pixels.shape()[2]);
  info.in_color_space = info.input_components == 1   ? JCS_GRAYSCALE
                        : info.input_components == 3 ? JCS_RGB
                                                     : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  if (kind == JpegKind::kProgressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  std::string line;
  while (info.next_scanline < info.image_height) {
    const Array row = pixels[info.next_scanline].contiguous();
    line.assign(row.raw_data(), static_cast<size_t>(row.size()));
    if (info.in_color_space == JCS_CMYK) {
      for (char& byte : line) byte = static_cast<char>(~byte);
    }
    auto* samples = reinterpret_cast<JSAMPROW>(line.data());
    jpeg_write_scanlines(&info, &samples, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return file;
}

}  // namespace catena::testing
