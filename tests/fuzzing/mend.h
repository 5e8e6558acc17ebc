#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Makes changed files consistent again, so that fuzzing gets past the lengths
// and checksums that readers look at first. Each function changes what it
// recognizes, in place, and leaves any other bytes alone.
namespace catena::testing {

// The lengths and CRC-32 of the members of a ZIP archive, stored or deflated.
void mend_zip(std::span<uint8_t> file);
// CRC-32 and length after the data of a gzip file with one member.
void mend_gzip(std::span<uint8_t> file);
// The CRC-32 of each chunk of a PNG file.
void mend_png(std::span<uint8_t> file);
// The checksum of each header of a tar archive; of a compressed one, what
// mend_gzip mends.
void mend_tar(std::span<uint8_t> file);
// The length of the header of a .npy file: it ends with the first line.
void mend_npy(std::span<uint8_t> file);
// The length of the header of a .safetensors file: it ends with the last brace
// that closes as many as are open.
void mend_safetensors(std::span<uint8_t> file);

}  // namespace catena::testing

// libFuzzer's own changes.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace catena::testing {

// The body of LLVMFuzzerCustomMutator: three of four files are mended.
template <class Mend>
size_t mutate_and_mend(uint8_t* data, size_t size, size_t max_size,
                       unsigned seed, Mend mend) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 4 != 0) mend(std::span(data, size));
  return size;
}

}  // namespace catena::testing
