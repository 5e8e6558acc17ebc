#pragma once

#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::caffe {

// Reads the mean image of a dataset, (C, h, w), float32 on the CPU, from the
// output of Caffe's compute_image_mean (.binaryproto) or from a .npy file with
// shape (C, h, w) or (C,), which becomes (C, 1, 1). Throws IoError naming the
// file when it has another format, is damaged or exceeds the limits.
Array read_mean_file(const std::string& path, const LoadLimits& limits = {});

}  // namespace catena::caffe
