#include "catena/examples/imagenet/preprocessed_dataset.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/io/npy.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/dataset/image_file.h"

namespace catena::examples {

PreprocessedDataset::PreprocessedDataset(const datasets::LabeledPaths& pictures,
                                         const std::string& root,
                                         const Array& mean, int64_t crop_size,
                                         Crop crop, uint64_t seed)
    : pictures_(pictures,
                {.images = {.root = root, .color = dataset::ImageColor::kRgb}}),
      mean_(mean.to_device(native_device()).astype(Dtype::kFloat32)),
      crop_size_(crop_size),
      crop_(crop),
      seed_(seed),
      reads_(std::make_unique<std::atomic<uint32_t>[]>(pictures.size())) {
  if (mean.ndim() != 3 || mean.shape()[0] != 3 || mean.shape()[1] < crop_size ||
      mean.shape()[2] < crop_size) {
    raise<ValueError>("PreprocessedDataset: expected a mean (3, h, w) of at ",
                      "least ", crop_size, " x ", crop_size, " pixels, got ",
                      mean.shape());
  }
}

dataset::Example PreprocessedDataset::get_example(int64_t i) const {
  const dataset::Example picture = pictures_.get_example(i);
  if (picture[0].shape() != mean_.shape()) {
    raise<ValueError>("PreprocessedDataset: expected pictures of the shape of ",
                      "the mean, ", mean_.shape(), ", got ", picture[0].shape(),
                      " for picture ", i);
  }
  const int64_t free_rows = mean_.shape()[1] - crop_size_;
  const int64_t free_columns = mean_.shape()[2] - crop_size_;
  int64_t top = free_rows / 2;
  int64_t left = free_columns / 2;
  bool is_mirrored = false;
  if (crop_ == Crop::kRandom) {
    std::seed_seq seed{static_cast<uint64_t>(reads_[i]++),
                       static_cast<uint64_t>(i), seed_};
    std::mt19937 random(seed);
    const auto up_to = [&](int64_t most) {
      return std::uniform_int_distribution<int64_t>(0, most)(random);
    };
    top = up_to(free_rows);
    left = up_to(free_columns);
    is_mirrored = up_to(1) == 1;
  }
  const auto cut = [&](const Array& image) {
    return image[{Slice(), Slice(top, top + crop_size_),
                  Slice(left, left + crop_size_)}];
  };
  Array x = cut(picture[0]) - cut(mean_);
  if (is_mirrored) x = x[{ellipsis, Slice(std::nullopt, std::nullopt, -1)}];
  return {x * (1 / 255.0f), picture[1]};
}

void PreprocessedDataset::start_epoch(int64_t epoch) {
  for (int64_t i = 0; i < size(); ++i) {
    reads_[i] = static_cast<uint32_t>(epoch);
  }
}

Pictures load_pictures(const PictureFiles& files, int64_t crop_size,
                       uint64_t seed) {
  for (const std::string& list : {files.train, files.val}) {
    if (std::filesystem::exists(list)) continue;
    raise<IoError>("'", list, "': expected a list of pictures, got no such ",
                   "file; https://image-net.org/download has ImageNet");
  }
  if (!std::filesystem::exists(files.mean)) {
    raise<IoError>("'", files.mean, "': expected the mean picture, got no ",
                   "such file; compute_mean writes it");
  }
  const auto train = datasets::read_labeled_image_paths(files.train);
  const auto val = datasets::read_labeled_image_paths(files.val);
  const DeviceScope host(native_device());
  const Array mean = array::load_npy(files.mean);
  int64_t classes = 0;
  for (const auto& [path, label] : train) {
    classes = std::max(classes, label + 1);
  }
  return {std::make_shared<PreprocessedDataset>(train, files.root, mean,
                                                crop_size, Crop::kRandom, seed),
          std::make_shared<PreprocessedDataset>(val, files.root, mean,
                                                crop_size, Crop::kCenter),
          classes};
}

}  // namespace catena::examples
