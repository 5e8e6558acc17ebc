#include "catena/dataset/datasets/cifar.h"

#include <new>

#include "catena/array/core/memory_errors.h"
#include "catena/dataset/datasets/cifar_files.h"
#include "catena/dataset/datasets/data_files.h"
#include "catena/dataset/datasets/image_arrays.h"

namespace catena::datasets {
namespace {

constexpr double kLargest = 255;

CifarParts read_parts(const CifarFormat& format, const RemoteFile& archive,
                      const GetCifarOptions& options) {
  std::string path;
  if (options.data_dir.empty()) {
    path = fetch_file(format.operation, "cifar", archive);
  } else {
    path = find_file(options.data_dir, {archive.name});
    if (path.empty()) {
      return read_cifar_folder(options.data_dir, format, options.limits);
    }
  }
  return read_cifar_archive(path, format, options.limits);
}

std::pair<TupleDataset, TupleDataset> get_cifar(
    const CifarFormat& format, const RemoteFile& archive,
    const GetCifarOptions& options) {
  const CifarParts parts = read_parts(format, archive, options);
  const ImageFormat form{.withlabel = options.withlabel,
                         .ndim = options.ndim,
                         .scale = options.scale,
                         .dtype = options.dtype,
                         .label_dtype = options.label_dtype};
  const auto dataset_of = [&](const CifarImages& part) {
    return image_dataset(part.images, part.labels, kLargest, form,
                         format.operation);
  };
  return {dataset_of(parts.train), dataset_of(parts.test)};
}

}  // namespace

std::pair<TupleDataset, TupleDataset> get_cifar10(
    const GetCifarOptions& options) try {
  return get_cifar(
      {.operation = "get_cifar10",
       .label_bytes = 1,
       .classes = 10,
       .train = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                 "data_batch_4.bin", "data_batch_5.bin"},
       .test = "test_batch.bin"},
      {.name = "cifar-10-binary.tar.gz",
       .sha256 =
           "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
       .urls = {"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"}},
      options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_cifar10");
}

std::pair<TupleDataset, TupleDataset> get_cifar100(
    const GetCifarOptions& options) try {
  return get_cifar(
      {.operation = "get_cifar100",
       .label_bytes = 2,
       .classes = 100,
       .train = {"train.bin"},
       .test = "test.bin"},
      {.name = "cifar-100-binary.tar.gz",
       .sha256 =
           "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
       .urls = {"https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz"}},
      options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_cifar100");
}

}  // namespace catena::datasets
