#include "catena/dataset/testing/idx_files.h"

#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {

std::string big_endian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(value >> shift);
  }
  return bytes;
}

std::string idx_images(uint32_t count, uint32_t height, uint32_t width,
                       const std::string& pixels) {
  return big_endian(0x803) + big_endian(count) + big_endian(height) +
         big_endian(width) + pixels;
}

std::string idx_labels(const std::string& labels) {
  return big_endian(0x801) + big_endian(static_cast<uint32_t>(labels.size())) +
         labels;
}

void write_mnist_part(const std::string& folder, const std::string& part,
                      uint32_t count) {
  std::string pixels;
  std::string labels;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t label = i * 7 % 10;
    for (uint32_t row = 0; row < 28; ++row) {
      pixels += std::string(28, row == label ? '\xff' : '\0');
    }
    labels += static_cast<char>(label);
  }
  write_file(folder + "/" + part + "-images-idx3-ubyte",
             idx_images(count, 28, 28, pixels));
  write_file(folder + "/" + part + "-labels-idx1-ubyte", idx_labels(labels));
}

}  // namespace catena::testing
