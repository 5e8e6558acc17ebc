#pragma once

#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::caffe {

// The mean image of a data set, (C, h, w), float32 on the CPU: from what
// Caffe's compute_image_mean writes (.binaryproto), or from a .npy file, (C, h,
// w) or (C,), which becomes (C, 1, 1). IoError naming the file when it is
// neither, is damaged or exceeds the limits.
Array read_mean_file(const std::string& path, const LoadLimits& limits = {});

}  // namespace catena::caffe
