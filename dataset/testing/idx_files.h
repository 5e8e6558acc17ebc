#pragma once

#include <cstdint>
#include <string>

// Builds MNIST's files for tests, byte by byte.
namespace catena::testing {

// The four bytes of a number, the highest first.
std::string big_endian(uint32_t value);

// The IDX files with `count` images of these pixels, or with these labels.
std::string idx_images(uint32_t count, uint32_t height, uint32_t width,
                       const std::string& pixels);
std::string idx_labels(const std::string& labels);

// Writes the images and labels of a part of MNIST, "train" or "t10k", to a
// folder: 28x28 pixels, whose label is the index of their white row.
void write_mnist_part(const std::string& folder, const std::string& part,
                      uint32_t count);

}  // namespace catena::testing
