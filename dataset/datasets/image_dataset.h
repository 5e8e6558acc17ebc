#pragma once

#include <concepts>
#include <cstddef>
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

namespace internal {

// Literals, strings and paths.
template <class T>
concept Text = std::constructible_from<std::string, const T&>;

}  // namespace internal

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
  // The same for paths in braces, which might else be taken for a data set of
  // the text below.
  template <size_t N>
  explicit ImageDataset(const char* const (&paths)[N])
      : ImageDataset(std::vector<std::string>(paths, paths + N)) {}
  template <size_t N>
  explicit ImageDataset(const std::string (&paths)[N])
      : ImageDataset(std::vector<std::string>(paths, paths + N)) {}
  // A file that lists the paths; does not compile.
  template <internal::Text Text>
  explicit ImageDataset(Text, const ImageDatasetOptions& = {}) {
    refuse<Text>();
  }
  template <internal::Text Text>
  ImageDataset(Text, Text /*root*/) {
    refuse<Text>();
  }

  int64_t size() const override { return static_cast<int64_t>(paths_.size()); }
  dataset::Example get_example(int64_t i) const override;

 private:
  template <class Text>
  static void refuse() {
    static_assert(
        sizeof(Text) == 0,
        "ImageDataset: a text is not a list: write "
        "ImageDataset(read_image_paths(\"list.txt\"), {.root = root})");
  }

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
  // A file that lists the pairs; does not compile.
  template <internal::Text Text>
  explicit LabeledImageDataset(Text, const LabeledImageDatasetOptions& = {})
      : images_(refuse<Text>()) {}
  template <internal::Text Text>
  LabeledImageDataset(Text, Text /*root*/) : images_(refuse<Text>()) {}

  int64_t size() const override { return images_.size(); }
  dataset::Example get_example(int64_t i) const override;

 private:
  template <class Text>
  static ImageDataset refuse() {
    static_assert(sizeof(Text) == 0,
                  "LabeledImageDataset: a text is not a list: write "
                  "LabeledImageDataset(read_labeled_image_paths(\"list.txt\"), "
                  "{.images = {.root = root}})");
    return ImageDataset(std::vector<std::string>());
  }

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
