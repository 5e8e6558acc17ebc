#include "catena/dataset/datasets/svhn.h"

#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/creation.h"
#include "catena/dataset/datasets/data_files.h"
#include "catena/dataset/datasets/image_arrays.h"
#include "catena/dataset/mat_file.h"

namespace catena::datasets {
namespace {

constexpr double kLargest = 255;

std::string path_of(const RemoteFile& file, const std::string& data_dir) {
  return data_dir.empty() ? fetch_file("get_svhn", "svhn", file)
                          : require_file("get_svhn", data_dir, {file.name});
}

// From 1 to 10 in the file, where 10 means the digit 0.
Array digits_of(const Array& labels, const std::string& where) {
  const Array digits =
      array::empty({labels.size()}, Dtype::kUInt8, native_device());
  const Array numbers = labels.astype(Dtype::kFloat64).contiguous();
  for (int64_t i = 0; i < labels.size(); ++i) {
    const double number = numbers.data<double>()[i];
    if (!(number >= 1 && number <= 10)) {
      raise<IoError>(where, ": expected labels from 1 to 10, got ", number,
                     " at ", i);
    }
    digits.data<uint8_t>()[i] =
        static_cast<uint8_t>(static_cast<int>(number) % 10);
  }
  return digits;
}

TupleDataset read_part(const std::string& path, const GetSvhnOptions& options) {
  const auto arrays = dataset::read_mat(path, options.limits);
  const std::string where = str("get_svhn: '", path, "'");
  const auto find = [&](const std::string& name) {
    const auto found = arrays.find(name);
    if (found == arrays.end()) {
      raise<IoError>(where, ": expected an array '", name, "', found none");
    }
    return found->second;
  };
  const Array images = find("X");
  const Shape& shape = images.shape();
  if (images.ndim() != 4 || images.dtype() != Dtype::kUInt8 || shape[2] != 3) {
    raise<IoError>(where,
                   ": expected uint8 images of shape (H, W, 3, N) in 'X', got ",
                   images.dtype(), " of shape ", shape);
  }
  const Array labels = find("y");
  if (labels.size() != shape[3]) {
    raise<IoError>(where, ": expected ", shape[3], " labels in 'y', got shape ",
                   labels.shape());
  }
  const ImageFormat format{.withlabel = options.withlabel,
                           .ndim = 3,
                           .scale = options.scale,
                           .dtype = options.dtype,
                           .label_dtype = options.label_dtype};
  return image_dataset(images.transpose({3, 2, 0, 1}), digits_of(labels, where),
                       kLargest, format, "get_svhn");
}

}  // namespace

std::pair<TupleDataset, TupleDataset> get_svhn(
    const GetSvhnOptions& options) try {
  const auto part = [&](const char* name, const char* sha256) {
    const RemoteFile file = {
        .name = name,
        .sha256 = sha256,
        .urls = {str("http://ufldl.stanford.edu/housenumbers/", name)}};
    return read_part(path_of(file, options.data_dir), options);
  };
  return {part("train_32x32.mat",
               "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df750"
               "8d083b8"),
          part("test_32x32.mat",
               "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f0918202"
               "5b6a75b")};
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_svhn");
}

}  // namespace catena::datasets
