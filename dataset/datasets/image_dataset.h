#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/dataset_mixin.h"
#include "catena/dataset/image_file.h"

// Images that are read from PNG or JPEG files on demand.
namespace catena::array {
class ZipReader;
}

namespace catena::datasets {

struct ImageDatasetOptions {
  NamedFieldsOnly keywords = {};
  // The folder that relative paths start from.
  std::string root = ".";
  Dtype dtype = Dtype::kFloat32;
  dataset::ImageColor color = dataset::ImageColor::kAsInFile;
  LoadLimits limits = {};
};

// Images as (C, H, W) with the pixel values of the file (see read_image): one
// channel for gray, three for color, other counts depending on the file, unless
// `color` is set. Reading an image throws IoError when the file is missing or
// damaged.
class ImageDataset final : public dataset::DatasetMixin {
 public:
  explicit ImageDataset(std::vector<std::string> paths,
                        ImageDatasetOptions options = {});

  int64_t size() const override { return static_cast<int64_t>(paths_.size()); }
  dataset::Example get_example(int64_t i) const override;

 private:
  std::vector<std::string> paths_;
  ImageDatasetOptions options_;
};

// Files of images with their labels.
using LabeledPaths = std::vector<std::pair<std::string, int64_t>>;

struct LabeledImageDatasetOptions {
  NamedFieldsOnly keywords = {};
  ImageDatasetOptions images = {};
  Dtype label_dtype = Dtype::kInt32;
};

// Images and a label for each: (image, label).
class LabeledImageDataset final : public dataset::DatasetMixin {
 public:
  // Throws DtypeError when label_dtype cannot hold a label.
  explicit LabeledImageDataset(const LabeledPaths& pairs,
                               LabeledImageDatasetOptions options = {});

  int64_t size() const override { return images_.size(); }
  dataset::Example get_example(int64_t i) const override;

 private:
  ImageDataset images_;
  Array labels_;
};

// Read the lists for the two classes above from files with one line per image:
// a path, or a path, a blank and an integer. Blank lines are skipped. Throws
// IoError naming file and line.
std::vector<std::string> read_image_paths(const std::string& path,
                                          const LoadLimits& limits = {});
LabeledPaths read_labeled_image_paths(const std::string& path,
                                      const LoadLimits& limits = {});

struct ZippedImageDatasetOptions {
  NamedFieldsOnly keywords = {};
  Dtype dtype = Dtype::kFloat32;
  dataset::ImageColor color = dataset::ImageColor::kAsInFile;
  LoadLimits limits = {};
};

// The images in a ZIP archive, in the order of its directory. Throws IoError
// when it cannot be read or is damaged; damage may be detected only when the
// affected image is read.
class ZippedImageDataset final : public dataset::DatasetMixin {
 public:
  explicit ZippedImageDataset(const std::string& zip_path,
                              const ZippedImageDatasetOptions& options = {});

  int64_t size() const override;
  dataset::Example get_example(int64_t i) const override;

 private:
  std::string path_;
  std::shared_ptr<const array::ZipReader> archive_;
  ZippedImageDatasetOptions options_;
};

// The images in several ZIP archives, concatenated.
class MultiZippedImageDataset final : public dataset::DatasetMixin {
 public:
  explicit MultiZippedImageDataset(
      const std::vector<std::string>& zip_paths,
      const ZippedImageDatasetOptions& options = {});

  int64_t size() const override { return images_.size(); }
  dataset::Example get_example(int64_t i) const override {
    return images_->get_example(i);
  }

 private:
  dataset::Dataset images_;
};

}  // namespace catena::datasets
