#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

// The binary version of CIFAR-10 and CIFAR-100: records of one or two bytes of
// labels (the last one counts) and 3072 pixels, red, green, blue.
namespace catena::datasets {

struct CifarFormat {
  std::string_view operation;  // for error messages
  int label_bytes;
  int classes;
  std::vector<std::string> train;  // file names
  std::string test;
};

struct CifarImages {
  Array images;  // (N, 3, 32, 32), uint8
  Array labels;  // (N,), uint8
};
struct CifarParts {
  CifarImages train;
  CifarImages test;
};

// From a tar archive, compressed or not, in any folder of it; or from the
// extracted files. Throws IoError when files are missing, contain a partial
// record or labels out of range, or exceed the limits.
CifarParts read_cifar_archive(const std::string& path,
                              const CifarFormat& format,
                              const LoadLimits& limits);
CifarParts read_cifar_folder(const std::string& folder,
                             const CifarFormat& format,
                             const LoadLimits& limits);

}  // namespace catena::datasets
