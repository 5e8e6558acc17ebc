#pragma once

#include <string>
#include <string_view>

#include "catena/array/array.h"

// From image files to what Caffe's nets were trained on.
namespace catena::examples {

struct ImageInput {
  int64_t channels = 3;
  int64_t height = 0;
  int64_t width = 0;
  // What images are resized to before their center is cut out; straight to
  // height x width when 0.
  int64_t resize = 256;
  // Subtracted: (C, h, w), whose center is taken where it is larger, or
  // (C, 1, 1). None when undefined.
  Array mean = {};
  // What remains is multiplied by this.
  double scale = 1;
};

// A mean as the command line names it: a .binaryproto or .npy file, or numbers
// for blue, green and red ("104,117,123"); none when empty. ValueError or
// IoError.
Array parse_mean(const std::string& text);

// A number of the command line. ValueError naming the flag.
double parse_number(const std::string& text, std::string_view flag);

// The image, PNG or JPEG, as (1, C, height, width): channels blue, green, red,
// or gray, from 0 to 255, less the mean, scaled. IoError when it cannot be
// read.
Array load_image(const std::string& path, const ImageInput& input);

}  // namespace catena::examples
