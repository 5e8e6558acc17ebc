#include "catena/dataset/datasets/cifar_files.h"

#include <algorithm>
#include <map>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/byte_stream.h"
#include "catena/dataset/datasets/data_files.h"
#include "catena/dataset/datasets/image_arrays.h"
#include "catena/dataset/tar_reader.h"

namespace catena::datasets {
namespace {

constexpr int64_t kSide = 32;
constexpr int64_t kPixels = 3 * kSide * kSide;

// The records that read(to) reads, `bytes` in total.
template <class Read>
CifarImages read_records(const std::string& where, int64_t bytes,
                         const CifarFormat& format, const LoadLimits& limits,
                         Read read) {
  const int64_t record = format.label_bytes + kPixels;
  if (bytes % record != 0 || bytes > limits.array_bytes) {
    raise<IoError>(where, ": expected records of ", record,
                   " bytes, and at most ", limits.array_bytes, " bytes, got ",
                   bytes);
  }
  const Array all =
      array::empty({bytes / record, record}, Dtype::kUInt8, native_device());
  read(std::span(all.raw_data(), static_cast<size_t>(bytes)));
  const Array labels =
      all[{Slice(), int64_t{format.label_bytes} - 1}].contiguous();
  check_labels(labels, format.classes, where);
  return {.images = all[{Slice(), Slice(format.label_bytes, std::nullopt)}]
                        .contiguous()
                        .reshape({-1, 3, kSide, kSide}),
          .labels = labels};
}

using NamedImages = std::map<std::string, CifarImages>;

CifarParts assemble(const std::string& where, const CifarFormat& format,
                    const NamedImages& files) {
  const auto find = [&](const std::string& name) {
    const auto found = files.find(name);
    if (found == files.end()) {
      raise<IoError>(where, ": expected a file '", name, "', found none");
    }
    return found->second;
  };
  std::vector<Array> images;
  std::vector<Array> labels;
  for (const std::string& name : format.train) {
    const CifarImages part = find(name);
    images.push_back(part.images);
    labels.push_back(part.labels);
  }
  return {.train = {.images = array::concatenate(images, 0),
                    .labels = array::concatenate(labels, 0)},
          .test = find(format.test)};
}

bool is_wanted(const std::string& name, const CifarFormat& format) {
  return name == format.test ||
         std::ranges::find(format.train, name) != format.train.end();
}

}  // namespace

CifarParts read_cifar_archive(const std::string& path,
                              const CifarFormat& format,
                              const LoadLimits& limits) {
  dataset::TarReader archive(path, format.operation, limits);
  NamedImages files;
  while (const auto member = archive.next()) {
    const std::string name = member->name.substr(member->name.rfind('/') + 1);
    if (!is_wanted(name, format)) continue;
    const std::string where = str(archive.where(), ": '", name, "'");
    if (files.contains(name)) {
      raise<IoError>(where, ": expected unique file names, got a duplicate");
    }
    files[name] = read_records(where, member->bytes, format, limits,
                               [&](std::span<char> to) { archive.read(to); });
  }
  return assemble(archive.where(), format, files);
}

CifarParts read_cifar_folder(const std::string& folder,
                             const CifarFormat& format,
                             const LoadLimits& limits) {
  std::vector<std::string> names = format.train;
  names.push_back(format.test);
  NamedImages files;
  for (const std::string& name : names) {
    const auto source =
        array::ByteSource::open(require_file(format.operation, folder, {name}),
                                format.operation, limits);
    files[name] = read_records(source.where(), source.size(), format, limits,
                               [&](std::span<char> to) { source.read(0, to); });
  }
  return assemble(folder, format, files);
}

}  // namespace catena::datasets
