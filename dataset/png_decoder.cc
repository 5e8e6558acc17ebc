#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/image_decoders.h"

namespace catena::dataset {
namespace {

constexpr int64_t kMaxPixelsPerLine = 0x7fffffff;  // limit of the format

// libpng reports errors by longjmp. It must not pass over objects that have a
// destructor, so each function that calls libpng sets its own return point,
// holds only trivially destructible values and returns whether it succeeded.
class PngReader {
 public:
  explicit PngReader(std::span<const unsigned char> bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error,
                                  on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) set_message("no memory to decode");
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  bool read_header() {
    if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_user_limits(png_, kMaxPixelsPerLine, kMaxPixelsPerLine);
    png_set_read_fn(png_, this, read);
    png_read_info(png_, info_);
    return true;
  }

  int64_t width() const { return png_get_image_width(png_, info_); }
  int64_t height() const { return png_get_image_height(png_, info_); }
  int depth() const { return png_get_bit_depth(png_, info_); }
  int channels() const { return png_get_channels(png_, info_); }
  bool has_palette() const {
    return png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE;
  }

  bool set_conversions(bool keep_16_bits) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    if (has_palette()) {
      png_set_palette_to_rgb(png_);
      png_set_strip_alpha(png_);  // added for transparent palette entries
    } else if (depth() < 8) {
      png_set_expand_gray_1_2_4_to_8(png_);
    } else if (depth() == 16 && !keep_16_bits) {
      png_set_strip_16(png_);
    } else if (depth() == 16 && std::endian::native == std::endian::little) {
      png_set_swap(png_);
    }
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  int64_t row_bytes() const {
    return static_cast<int64_t>(png_get_rowbytes(png_, info_));
  }

  bool read_pixels(png_bytep* rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  const char* message() const { return message_.data(); }

 private:
  void set_message(const char* message) {
    std::snprintf(message_.data(), message_.size(), "%s", message);
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
    reader.set_message(message);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  static void read(png_structp png, png_bytep to, size_t count) {
    auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > reader.rest_.size()) png_error(png, "the file is truncated");
    std::copy_n(reader.rest_.data(), count, to);
    reader.rest_ = reader.rest_.subspan(count);
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::span<const unsigned char> rest_;
  std::array<char, 100> message_{};
};

}  // namespace

DecodedImage decode_png(const EncodedImage& image, GrayDepth gray_depth) {
  PngReader png(image.bytes);
  const auto check = [&](bool done) {
    if (!done) raise<IoError>(image.where, ": damaged PNG: ", png.message());
  };
  check(png.read_header());
  const bool keep_16_bits = gray_depth == GrayDepth::kUpTo16 &&
                            png.depth() == 16 && png.channels() == 1;
  const int channels = png.has_palette() ? 3 : png.channels();
  const Dtype dtype = keep_16_bits ? Dtype::kUInt16 : Dtype::kUInt8;
  check_image_size(image, {.width = png.width(),
                           .height = png.height(),
                           .stored_bits = png.depth() * png.channels(),
                           .result_bytes = channels * item_size(dtype)});
  check(png.set_conversions(keep_16_bits));

  const DecodedImage result = {
      .pixels = array::empty({png.height(), png.width(), channels}, dtype,
                             native_device())};
  const int64_t row_bytes = png.width() * channels * item_size(dtype);
  if (png.row_bytes() != row_bytes) {
    raise<IoError>(image.where, ": expected lines of ", row_bytes,
                   " bytes from libpng, got ", png.row_bytes());
  }
  std::vector<png_bytep> rows;
  for (int64_t y = 0; y < png.height(); ++y) {
    rows.push_back(reinterpret_cast<png_bytep>(result.pixels.raw_data()) +
                   y * row_bytes);
  }
  check(png.read_pixels(rows.data()));
  return result;
}

}  // namespace catena::dataset
