#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/caffe/import_plan.h"

// Converts image files to the input format of Caffe networks.
namespace catena::examples {

struct ImageInput {
  int64_t channels = 3;
  int64_t height = 0;
  int64_t width = 0;
  // The size that images are resized to before center cropping; 0: resize
  // directly to height x width.
  int64_t resize = 256;
  // The mean to subtract: (C, h, w), center-cropped if larger than the image,
  // or (C, 1, 1). None if undefined.
  Array mean = {};
  // The factor applied after subtracting the mean.
  double scale = 1;
};

// The format of a net's first input: channels and, where `wanted` has a height
// of 0, height and width are those in the file. Throws ValueError when the net
// has no input, or its size is not known.
ImageInput input_of(const caffe::ImportPlan& plan, ImageInput wanted);

// Parses a mean on the command line: a .binaryproto or .npy file, or numbers
// for blue, green and red ("104,117,123"); empty for none. It is on the host,
// as images are. Throws IoError when the file cannot be read.
Array parse_mean(const std::string& text);

// Parses a number on the command line. Throws ValueError naming the flag.
double parse_number(const std::string& text, std::string_view flag);

// Loads a PNG or JPEG image as (1, C, height, width): channels blue, green,
// red, or gray, from 0 to 255, minus the mean, scaled. Throws IoError when it
// cannot be read.
Array load_image(const std::string& path, const ImageInput& input);

struct LabeledFile {
  std::string path;
  int32_t label;
};

// Reads a text file with a line "path label" for each image, where labels are
// 0, 1, ...; paths are relative to `root` or, if it is empty, to that file.
// Throws IoError when it cannot be read, has no lines or others.
std::vector<LabeledFile> read_labeled_files(const std::string& list,
                                            const std::string& root = "");

}  // namespace catena::examples
