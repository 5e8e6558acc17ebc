#include "catena/dataset/datasets/mnist.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "catena/array/error.h"
#include "catena/array/index.h"
#include "catena/dataset/datasets/image_arrays.h"
#include "catena/dataset/download.h"
#include "catena/dataset/idx.h"

namespace catena::datasets {
namespace {

namespace fs = std::filesystem;

constexpr double kLargest = 255;
constexpr int kClasses = 10;

struct File {
  const char* name;
  const char* sha256;  // of NAME.gz
};

// Of train and t10k: images and labels.
constexpr std::array<std::array<File, 2>, 2> kFiles = {{
    {{{"train-images-idx3-ubyte",
       "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
      {"train-labels-idx1-ubyte",
       "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"}}},
    {{{"t10k-images-idx3-ubyte",
       "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
      {"t10k-labels-idx1-ubyte",
       "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}}},
}};

constexpr std::array kServers = {
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/"};

struct Images {
  Array images;  // (N, H, W), uint8
  Array labels;  // (N,), uint8
};

// The file of that name in the folder, compressed or not; empty if none.
std::string find_file(const fs::path& folder, const std::string& name) {
  for (const char* suffix : {"", ".gz"}) {
    const fs::path path = folder / (name + suffix);
    std::error_code error;
    if (fs::exists(path, error)) return path.string();
  }
  return "";
}

std::string require_file(const fs::path& folder, const std::string& name) {
  const std::string path = find_file(folder, name);
  if (path.empty()) {
    raise<IoError>("get_mnist: expected '", name, "' or '", name, ".gz' in '",
                   folder.string(), "', found neither");
  }
  return path;
}

std::string fetch_file(const fs::path& folder, const File& file) {
  std::string path = find_file(folder, file.name);
  if (!path.empty()) return path;
  path = (folder / (std::string(file.name) + ".gz")).string();
  std::vector<std::string> urls;
  for (const char* server : kServers) {
    urls.push_back(str(server, file.name, ".gz"));
  }
  try {
    dataset::download(urls, path, {.sha256 = file.sha256});
  } catch (const IoError& error) {
    raise<IoError>("get_mnist: MNIST is not in '", folder.string(),
                   "' and cannot be downloaded; files put there by hand, or "
                   "in a data_dir, do as well. ",
                   error.what());
  }
  return path;
}

Images read_images(const std::string& images_path,
                   const std::string& labels_path, const LoadLimits& limits) {
  const Images read{.images = dataset::read_idx(images_path, limits),
                    .labels = dataset::read_idx(labels_path, limits)};
  const Array& images = read.images;
  if (images.ndim() != 3 || images.dtype() != Dtype::kUInt8) {
    raise<IoError>("get_mnist: '", images_path,
                   "': expected uint8 images of shape (N, H, W), got ",
                   images.dtype(), " of shape ", images.shape());
  }
  const Array& labels = read.labels;
  if (labels.shape() != Shape{images.shape()[0]} ||
      labels.dtype() != Dtype::kUInt8) {
    raise<IoError>("get_mnist: '", labels_path, "': expected ",
                   images.shape()[0], " uint8 labels, got ", labels.dtype(),
                   " of shape ", labels.shape());
  }
  const auto* begin = labels.data<uint8_t>();
  const auto* bad = std::find_if(begin, begin + labels.size(),
                                 [](int label) { return label >= kClasses; });
  if (bad != begin + labels.size()) {
    raise<IoError>("get_mnist: '", labels_path, "': expected labels below ",
                   kClasses, ", got ", int{*bad}, " at ", bad - begin);
  }
  return read;
}

std::pair<Images, Images> split(const Images& all) {
  const int64_t at = all.labels.size() * 8 / 10;
  const auto part = [&](const Slice& slice) {
    return Images{.images = all.images[{slice}], .labels = all.labels[{slice}]};
  };
  return {part(Slice(0, at)), part(Slice(at, std::nullopt))};
}

std::pair<Images, Images> read_folder(const GetMnistOptions& options) {
  const bool cached = options.data_dir.empty();
  const fs::path folder =
      cached ? dataset::get_dataset_directory("mnist") : options.data_dir;
  const auto read = [&](const std::array<File, 2>& files) {
    const auto path = [&](const File& file) {
      return cached ? fetch_file(folder, file)
                    : require_file(folder, file.name);
    };
    const std::string images = path(files[0]);
    return read_images(images, path(files[1]), options.limits);
  };
  const auto& [train, test] = kFiles;
  const bool has_train = !find_file(folder, train[0].name).empty() ||
                         !find_file(folder, train[1].name).empty();
  const bool has_test = !find_file(folder, test[0].name).empty();
  if (!cached && !has_train && has_test) return split(read(test));
  std::pair<Images, Images> parts{read(train), read(test)};
  const Shape& shape = parts.first.images.shape();
  const Shape& other = parts.second.images.shape();
  if (shape[1] != other[1] || shape[2] != other[2]) {
    raise<IoError>("get_mnist: '", folder.string(),
                   "': expected images of one size, got shape ", shape,
                   " to train and ", other, " to test");
  }
  return parts;
}

}  // namespace

std::pair<TupleDataset, TupleDataset> get_mnist(
    const GetMnistOptions& options) {
  const auto [train, test] = read_folder(options);
  const ImageFormat format{.withlabel = options.withlabel,
                           .ndim = options.ndim,
                           .scale = options.scale,
                           .dtype = options.dtype,
                           .label_dtype = options.label_dtype,
                           .rgb_format = options.rgb_format};
  const auto dataset_of = [&](const Images& part) {
    return image_dataset(part.images, part.labels, kLargest, format,
                         "get_mnist");
  };
  return {dataset_of(train), dataset_of(test)};
}

}  // namespace catena::datasets
