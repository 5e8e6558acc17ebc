#include "catena/examples/caffe/image_input.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/caffe/mean_file.h"
#include "catena/dataset/image_file.h"
#include "catena/links/model/image_preparation.h"

namespace catena::examples {
namespace {

// The center crop of (C, h, w).
Array center_of(const Array& image, int64_t height, int64_t width) {
  const int64_t top = (image.shape()[1] - height) / 2;
  const int64_t left = (image.shape()[2] - width) / 2;
  if (top < 0 || left < 0) {
    raise<ValueError>("cannot crop ", height, " x ", width,
                      " from an image of shape ", image.shape());
  }
  return image[{Slice(), Slice(top, top + height), Slice(left, left + width)}];
}

}  // namespace

ImageInput input_of(const caffe::ImportPlan& plan, ImageInput wanted) {
  if (plan.inputs.empty()) raise<ValueError>(plan.file, " has no input");
  const auto& shape = plan.inputs.front().shape;
  if (shape && shape->ndim() == 4) {
    wanted.channels = (*shape)[1];
    if (wanted.height == 0) {
      wanted.height = (*shape)[2];
      wanted.width = (*shape)[3];
    }
  }
  if (wanted.height < 1) raise<ValueError>("--size is required for this file");
  return wanted;
}

Array parse_mean(const std::string& text) {
  if (text.empty()) return {};
  const DeviceScope host(native_device());
  std::vector<float> numbers;
  std::string_view rest = text;
  while (!rest.empty()) {
    float number = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), number);
    // Anything that is not a list of numbers is a file.
    if (error != std::errc()) return caffe::read_mean_file(text);
    numbers.push_back(number);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (rest.empty()) break;
    if (rest.front() != ',') return caffe::read_mean_file(text);
    rest.remove_prefix(1);
  }
  return array::array(numbers).reshape({-1, 1, 1});
}

double parse_number(const std::string& text, std::string_view flag) {
  double number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr != end || text.empty()) {
    raise<ValueError>("--", flag, ": expected a number, got '", text, "'");
  }
  return number;
}

Array load_image(const std::string& path, const ImageInput& input) {
  const bool gray = input.channels == 1;
  const Array pixels = dataset::read_image(
      path,
      {.color = gray ? dataset::ImageColor::kGray : dataset::ImageColor::kRgb});
  const links::ImageSize size =
      input.resize > 0 ? links::ImageSize{input.resize, input.resize}
                       : links::ImageSize{input.width, input.height};
  Array image = links::prepare_image(pixels, size, {0, 0, 0});
  if (gray) image = image[{Slice(0, 1)}];
  image = center_of(image, input.height, input.width);
  if (input.mean.defined()) {
    const bool is_image = input.mean.shape()[1] > 1;
    image = image - (is_image ? center_of(input.mean, input.height, input.width)
                              : input.mean);
  }
  image = image * input.scale;
  return image.contiguous().reshape(
      {1, input.channels, input.height, input.width});
}

std::vector<LabeledFile> read_labeled_files(const std::string& list,
                                            const std::string& root) {
  std::ifstream in(list);
  if (!in) raise<IoError>("cannot read '", list, "'");
  const std::filesystem::path folder =
      root.empty() ? std::filesystem::path(list).parent_path()
                   : std::filesystem::path(root);
  std::vector<LabeledFile> files;
  std::string path;
  for (int32_t label = 0; in >> path >> label;) {
    if (label < 0) {
      raise<IoError>("'", list, "': expected labels from 0, got ", label,
                     " of ", path);
    }
    files.push_back({(folder / path).string(), label});
  }
  if (files.empty() || !in.eof()) {
    raise<IoError>("'", list, "': expected lines \"path label\"");
  }
  return files;
}

}  // namespace catena::examples
