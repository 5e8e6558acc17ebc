#pragma once

#include <cstdint>

#include "catena/array/core/named_fields_only.h"
#include "catena/array/core/shape.h"

namespace catena {

// Limits on files. Readers check every size in a file against these and against
// the actual file size before they allocate. The defaults allow anything
// plausible; lower them for files from untrusted sources.
struct LoadLimits {
  NamedFieldsOnly keywords = {};
  // Size of the file.
  int64_t file_bytes = int64_t{1} << 38;
  // Entries of an archive (arrays of a .npz).
  int64_t members = 100'000;
  // All members together, uncompressed.
  int64_t total_bytes = int64_t{1} << 37;
  // One array.
  int64_t array_bytes = int64_t{1} << 35;
  // Axes of an array; more than kMaxDims are always rejected.
  int dims = kMaxDims;
  // The header of an array (.npy), and a member's name.
  int64_t header_bytes = 64 << 10;
  // Uncompressed divided by compressed size. Deflate cannot exceed 1032, which
  // arrays of zeros approach.
  int64_t compression_ratio = 1100;
};

}  // namespace catena
