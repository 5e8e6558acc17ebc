#pragma once

#include <cstdint>

#include "catena/array/shape.h"

namespace catena {

// What a file may ask for before it is refused. Readers compare every number
// in a file with these and with the file's real size before they allocate.
// The defaults let through whatever is plausible; lower them for files from
// people you do not trust.
struct LoadLimits {
  // Size of the file.
  int64_t file_bytes = int64_t{1} << 38;
  // Entries of an archive (arrays of a .npz).
  int64_t members = 100'000;
  // All members together, uncompressed.
  int64_t total_bytes = int64_t{1} << 37;
  // One array.
  int64_t array_bytes = int64_t{1} << 35;
  // Axes of an array; more than kMaxDims are refused whatever this says.
  int dims = kMaxDims;
  // The text that describes an array (.npy), and a member's name.
  int64_t header_bytes = 64 << 10;
  // Uncompressed over compressed size. Deflate never exceeds 1032, which
  // arrays of zeros come close to.
  int64_t compression_ratio = 1100;
};

}  // namespace catena
