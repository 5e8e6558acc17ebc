#include <csetjmp>
#include <cstddef>
#include <cstdio>
// These need the two above.
#include <jerror.h>
#include <jpeglib.h>

#include <array>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/image_decoders.h"

namespace catena::dataset {
namespace {

// Photographs have about ten. Each scan is a pass over the whole image, so a
// small file with very many scans would take very long to read.
constexpr int kMaxScans = 100;

// libjpeg reports errors through a function that must not return; this one
// jumps. It must not pass over objects that have a destructor, so each function
// that calls libjpeg sets its own return point, holds only trivially
// destructible values and returns whether it succeeded.
class JpegReader {
 public:
  explicit JpegReader(std::span<const unsigned char> bytes) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = on_error;
    errors_.emit_message = on_message;
    info_.client_data = this;
    source_.next_input_byte = bytes.data();
    source_.bytes_in_buffer = bytes.size();
    source_.init_source = [](j_decompress_ptr) {};
    source_.term_source = [](j_decompress_ptr) {};
    source_.fill_input_buffer = [](j_decompress_ptr info) -> boolean {
      fail(info, "the file is truncated");
    };
    source_.skip_input_data = skip;
    source_.resync_to_restart = jpeg_resync_to_restart;
    progress_.progress_monitor = on_progress;
  }
  ~JpegReader() {
    if (created_) jpeg_destroy_decompress(&info_);
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  bool read_header() {
    if (setjmp(jump_) != 0) return false;
    jpeg_create_decompress(&info_);
    created_ = true;
    info_.src = &source_;
    info_.progress = &progress_;
    jpeg_read_header(&info_, TRUE);
    switch (info_.jpeg_color_space) {
      case JCS_GRAYSCALE:
        info_.out_color_space = JCS_GRAYSCALE;
        break;
      case JCS_RGB:
      case JCS_YCbCr:
        info_.out_color_space = JCS_RGB;
        break;
      case JCS_CMYK:
      case JCS_YCCK:
        info_.out_color_space = JCS_CMYK;
        break;
      default:
        fail(&info_, "its color space is unknown");
    }
    jpeg_calc_output_dimensions(&info_);
    return true;
  }

  int64_t width() const { return info_.output_width; }
  int64_t height() const { return info_.output_height; }
  int channels() const { return info_.out_color_components; }
  bool cmyk() const { return info_.out_color_space == JCS_CMYK; }

  // Decodes to rows of width() * channels() bytes.
  bool read_pixels(unsigned char* to) {
    if (setjmp(jump_) != 0) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = to + size_t{info_.output_scanline} * info_.output_width *
                              static_cast<size_t>(info_.out_color_components);
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  const char* message() const { return message_.data(); }

 private:
  template <class Info>
  static JpegReader& of(Info* info) {
    return *static_cast<JpegReader*>(info->client_data);
  }

  [[noreturn]] static void fail(j_decompress_ptr info, const char* message) {
    JpegReader& reader = of(info);
    std::snprintf(reader.message_.data(), reader.message_.size(), "%s",
                  message);
    std::longjmp(reader.jump_, 1);
  }

  [[noreturn]] static void on_error(j_common_ptr info) {
    JpegReader& reader = of(info);
    info->err->format_message(info, reader.message_.data());
    std::longjmp(reader.jump_, 1);
  }

  // Warnings have a negative level. Warnings about damaged pixels are errors
  // here.
  static void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    switch (info->err->msg_code) {
      case JWRN_ADOBE_XFORM:
      case JWRN_BOGUS_PROGRESSION:
      case JWRN_EXTRANEOUS_DATA:
      case JWRN_JFIF_MAJOR:
        return;
      default:
        on_error(info);
    }
  }

  static void skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    if (static_cast<size_t>(count) > info->src->bytes_in_buffer) {
      fail(info, "the file is truncated");
    }
    info->src->next_input_byte += count;
    info->src->bytes_in_buffer -= static_cast<size_t>(count);
  }

  static void on_progress(j_common_ptr common) {
    auto* const info = reinterpret_cast<j_decompress_ptr>(common);
    if (info->input_scan_number > kMaxScans) {
      fail(info, "it has too many scans");
    }
  }

  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_source_mgr source_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_;
  bool created_ = false;
  std::array<char, JMSG_LENGTH_MAX> message_{};
};

}  // namespace

DecodedImage decode_jpeg(const EncodedImage& image) {
  JpegReader jpeg(image.bytes);
  const auto check = [&](bool done) {
    if (!done) raise<IoError>(image.where, ": damaged JPEG: ", jpeg.message());
  };
  check(jpeg.read_header());
  check_image_size(image, {.width = jpeg.width(),
                           .height = jpeg.height(),
                           .stored_bits = jpeg.channels() * 8,
                           .result_bytes = jpeg.channels()});
  const DecodedImage result = {
      .pixels = array::empty({jpeg.height(), jpeg.width(), jpeg.channels()},
                             Dtype::kUInt8, native_device()),
      .cmyk = jpeg.cmyk()};
  auto* const pixels = result.pixels.data<uint8_t>();
  check(jpeg.read_pixels(pixels));
  if (jpeg.cmyk()) {
    // Such files are written by Adobe's programs, which store inverted inks.
    for (int64_t i = 0; i < result.pixels.size(); ++i) {
      pixels[i] = static_cast<uint8_t>(255 - pixels[i]);
    }
  }
  return result;
}

}  // namespace catena::dataset
