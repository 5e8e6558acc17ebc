#include "catena/dataset/datasets/idx_images.h"

#include <algorithm>
#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/index.h"
#include "catena/dataset/dataset_root.h"
#include "catena/dataset/datasets/data_files.h"
#include "catena/dataset/datasets/image_arrays.h"
#include "catena/dataset/idx.h"

namespace catena::datasets {
namespace {

constexpr double kLargest = 255;
constexpr int kClasses = 10;

struct Images {
  Array images;  // (N, H, W), uint8
  Array labels;  // (N,), uint8
};

constexpr IdxImages::Hashes kNames = {
    "train-images-idx3-ubyte", "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
constexpr size_t kTrain = 0;
constexpr size_t kTest = 2;

// Compressed or not.
std::vector<std::string> names_of(size_t file) {
  return {kNames[file], str(kNames[file], ".gz")};
}

std::string fetch(const IdxImages& source, const std::string& folder,
                  size_t file) {
  // Decompressed by someone; fetch_file() checks what is still compressed.
  const std::string path = find_file(folder, {std::string(kNames[file])});
  if (!path.empty()) return path;
  RemoteFile remote = {.name = str(kNames[file], ".gz"),
                       .sha256 = source.sha256[file],
                       .urls = {}};
  for (const std::string& server : source.servers) {
    remote.urls.push_back(server + remote.name);
  }
  return fetch_file(source.operation, source.folder, remote);
}

Images read_images(const std::string& images_path,
                   const std::string& labels_path, std::string_view operation,
                   const LoadLimits& limits) {
  const Images read{.images = dataset::read_idx(images_path, limits),
                    .labels = dataset::read_idx(labels_path, limits)};
  const Array& images = read.images;
  if (images.ndim() != 3 || images.dtype() != Dtype::kUInt8) {
    raise<IoError>(operation, ": '", images_path,
                   "': expected uint8 images of shape (N, H, W), got ",
                   images.dtype(), " of shape ", images.shape());
  }
  const Array& labels = read.labels;
  if (labels.shape() != Shape{images.shape()[0]} ||
      labels.dtype() != Dtype::kUInt8) {
    raise<IoError>(operation, ": '", labels_path, "': expected ",
                   images.shape()[0], " uint8 labels, got ", labels.dtype(),
                   " of shape ", labels.shape());
  }
  check_labels(labels, kClasses, str(operation, ": '", labels_path, "'"));
  return read;
}

std::pair<Images, Images> split(const Images& all) {
  const int64_t at = all.labels.size() * 8 / 10;
  const auto part = [&](const Slice& slice) {
    return Images{.images = all.images[{slice}], .labels = all.labels[{slice}]};
  };
  return {part(Slice(0, at)), part(Slice(at, std::nullopt))};
}

std::pair<Images, Images> read_folder(const IdxImages& source,
                                      const GetMnistOptions& options) {
  const bool cached = options.data_dir.empty();
  const std::string folder =
      cached ? dataset::get_dataset_directory(source.folder) : options.data_dir;
  // Each images file is followed by its labels file.
  const auto read = [&](size_t images) {
    const auto path = [&](size_t file) {
      return cached ? fetch(source, folder, file)
                    : require_file(source.operation, folder, names_of(file));
    };
    const std::string images_path = path(images);
    return read_images(images_path, path(images + 1), source.operation,
                       options.limits);
  };
  const auto has = [&](size_t file) {
    return !find_file(folder, names_of(file)).empty();
  };
  if (!cached && !has(kTrain) && !has(kTrain + 1) && has(kTest)) {
    return split(read(kTest));
  }
  std::pair<Images, Images> parts{read(kTrain), read(kTest)};
  const Shape& shape = parts.first.images.shape();
  const Shape& other = parts.second.images.shape();
  if (shape[1] != other[1] || shape[2] != other[2]) {
    raise<IoError>(source.operation, ": '", folder,
                   "': expected images of equal size, got shape ", shape,
                   " for training and ", other, " for testing");
  }
  return parts;
}

}  // namespace

std::pair<TupleDataset, TupleDataset> get_idx_images(
    const IdxImages& source, const GetMnistOptions& options) try {
  const auto [train, test] = read_folder(source, options);
  const ImageFormat format{.withlabel = options.withlabel,
                           .ndim = options.ndim,
                           .scale = options.scale,
                           .dtype = options.dtype,
                           .label_dtype = options.label_dtype,
                           .rgb_format = options.rgb_format};
  const auto dataset_of = [&](const Images& part) {
    return image_dataset(part.images, part.labels, kLargest, format,
                         source.operation);
  };
  return {dataset_of(train), dataset_of(test)};
} catch (const std::bad_alloc&) {
  raise_out_of_memory(source.operation);
}

}  // namespace catena::datasets
