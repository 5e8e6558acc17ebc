#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "catena/dataset/image_encoders.h"
// It needs two of the above.
#include <jpeglib.h>

#include <array>

#include "catena/array/core/error.h"

namespace catena::dataset {
namespace {

// A file in memory, which grows as it is written.
class MemoryFile {
 public:
  MemoryFile() : file_(open_memstream(&bytes_, &size_)) {}
  ~MemoryFile() {
    if (file_ != nullptr) std::fclose(file_);
    std::free(bytes_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::FILE* file() { return file_; }
  // Whether everything was written.
  bool flush() { return std::fflush(file_) == 0; }
  std::string_view bytes() const { return {bytes_, size_}; }

 private:
  char* bytes_ = nullptr;
  size_t size_ = 0;
  std::FILE* file_;
};

// libjpeg reports errors through a function that must not return; see
// jpeg_decoder.cc.
class JpegWriter {
 public:
  JpegWriter() {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = [](j_common_ptr info) {
      auto& writer = *static_cast<JpegWriter*>(info->client_data);
      info->err->format_message(info, writer.message_.data());
      std::longjmp(writer.jump_, 1);
    };
    errors_.emit_message = [](j_common_ptr, int) {};
    info_.client_data = this;
  }
  ~JpegWriter() {
    if (created_) jpeg_destroy_compress(&info_);
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  bool write(const Array& pixels, int64_t quality, std::FILE* to) {
    if (setjmp(jump_) != 0) return false;
    jpeg_create_compress(&info_);
    created_ = true;
    jpeg_stdio_dest(&info_, to);
    const Shape& shape = pixels.shape();
    info_.image_height = static_cast<JDIMENSION>(shape[0]);
    info_.image_width = static_cast<JDIMENSION>(shape[1]);
    info_.input_components = static_cast<int>(shape[2]);
    info_.in_color_space = shape[2] == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info_);
    jpeg_set_quality(&info_, static_cast<int>(quality), TRUE);
    jpeg_start_compress(&info_, TRUE);
    while (info_.next_scanline < info_.image_height) {
      // libjpeg does not change them.
      JSAMPROW row = pixels.data<uint8_t>() +
                     size_t{info_.next_scanline} * info_.image_width *
                         static_cast<size_t>(info_.input_components);
      jpeg_write_scanlines(&info_, &row, 1);
    }
    jpeg_finish_compress(&info_);
    return true;
  }

  const char* message() const { return message_.data(); }

 private:
  jpeg_compress_struct info_{};
  jpeg_error_mgr errors_{};
  std::jmp_buf jump_;
  bool created_ = false;
  std::array<char, JMSG_LENGTH_MAX> message_{};
};

}  // namespace

std::string encode_jpeg(const Array& pixels, int64_t quality,
                        std::string_view where) {
  if (pixels.shape()[0] > JPEG_MAX_DIMENSION ||
      pixels.shape()[1] > JPEG_MAX_DIMENSION) {
    raise<IoError>(where, ": expected at most ", JPEG_MAX_DIMENSION,
                   " pixels in a row or column of a JPEG, got an image of ",
                   pixels.shape()[1], " x ", pixels.shape()[0]);
  }
  MemoryFile file;
  JpegWriter writer;
  if (file.file() == nullptr || !writer.write(pixels, quality, file.file()) ||
      !file.flush()) {
    raise<IoError>(where, ": libjpeg: ",
                   *writer.message() ? writer.message() : "out of memory");
  }
  return std::string(file.bytes());
}

}  // namespace catena::dataset
