#include "catena/dataset/datasets/image_dataset.h"

#include <charconv>
#include <filesystem>
#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/line_reader.h"
#include "catena/array/io/zip_reader.h"
#include "catena/dataset/datasets/transform_dataset.h"
#include "catena/dataset/index_check.h"

namespace catena::datasets {
namespace {

constexpr std::string_view kBlanks = " \t";

// Pixels (H, W) or (H, W, C) as (C, H, W).
dataset::Example example_of(const Array& pixels, Dtype dtype) {
  const Shape& shape = pixels.shape();
  if (pixels.ndim() == 2) {
    return {pixels.reshape({1, shape[0], shape[1]}).astype(dtype)};
  }
  return {pixels.transpose({2, 0, 1}).astype(dtype).contiguous()};
}

std::string trimmed(const std::string& line) {
  const size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

// Calls use(line, reader) for each non-blank line.
template <class Use>
void for_each_line(const std::string& path, std::string_view operation,
                   const LoadLimits& limits, Use use) {
  array::LineReader lines(path, operation, limits);
  for (std::string line; lines.next(line);) {
    line = trimmed(line);
    if (!line.empty()) use(line, lines);
  }
}

std::vector<std::string> paths_of(const LabeledPaths& pairs) {
  std::vector<std::string> paths;
  paths.reserve(pairs.size());
  for (const auto& [path, label] : pairs) paths.push_back(path);
  return paths;
}

// No labels give an array of shape (0,).
Array labels_of(const LabeledPaths& pairs, Dtype dtype) {
  const Array labels = array::empty({static_cast<int64_t>(pairs.size())}, dtype,
                                    native_device());
  char* to = labels.raw_data();
  for (const auto& [path, label] : pairs) {
    Scalar(label).store(to, dtype, "LabeledImageDataset");  // checks its range
    to += item_size(dtype);
  }
  return labels;
}

dataset::Dataset concatenated(const std::vector<std::string>& zip_paths,
                              const ZippedImageDatasetOptions& options) {
  std::vector<dataset::Dataset> parts;
  for (const std::string& path : zip_paths) {
    parts.emplace_back(ZippedImageDataset(path, options));
  }
  return ConcatenatedDataset(std::move(parts));
}

}  // namespace

ImageDataset::ImageDataset(std::vector<std::string> paths,
                           ImageDatasetOptions options)
    : paths_(std::move(paths)), options_(std::move(options)) {}

dataset::Example ImageDataset::get_example(int64_t i) const try {
  dataset::check_index("ImageDataset", i, size());
  const std::filesystem::path path =
      std::filesystem::path(options_.root) / paths_[i];
  return example_of(
      dataset::read_image(path.string(),
                          {.color = options_.color, .limits = options_.limits}),
      options_.dtype);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("ImageDataset");
}

LabeledImageDataset::LabeledImageDataset(const LabeledPaths& pairs,
                                         LabeledImageDatasetOptions options)
    : images_(paths_of(pairs), std::move(options.images)),
      labels_(labels_of(pairs, options.label_dtype)) {}

dataset::Example LabeledImageDataset::get_example(int64_t i) const try {
  return {images_.get_example(i)[0], labels_[i]};
} catch (const std::bad_alloc&) {
  raise_out_of_memory("LabeledImageDataset");
}

std::vector<std::string> read_image_paths(const std::string& path,
                                          const LoadLimits& limits) try {
  std::vector<std::string> paths;
  for_each_line(path, "read_image_paths", limits,
                [&](const std::string& line, const auto& /*lines*/) {
                  paths.push_back(line);
                });
  return paths;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_image_paths");
}

LabeledPaths read_labeled_image_paths(const std::string& path,
                                      const LoadLimits& limits) try {
  LabeledPaths pairs;
  for_each_line(
      path, "read_labeled_image_paths", limits,
      [&](const std::string& line, const array::LineReader& lines) {
        const size_t blank = line.find_last_of(kBlanks);
        const size_t begin = blank == std::string::npos ? 0 : blank + 1;
        const char* const end = line.data() + line.size();
        int64_t label = 0;
        const auto parsed = std::from_chars(line.data() + begin, end, label);
        if (begin == 0 || parsed.ec != std::errc() || parsed.ptr != end) {
          raise<IoError>(lines.where(), ": line ", lines.number(),
                         ": expected a path, a blank and an integer, got ",
                         array::quote(line));
        }
        pairs.emplace_back(trimmed(line.substr(0, blank)), label);
      });
  return pairs;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_labeled_image_paths");
}

ZippedImageDataset::ZippedImageDataset(
    const std::string& zip_path, const ZippedImageDatasetOptions& options) try
    : path_(zip_path),
      archive_(std::make_shared<array::ZipReader>(
          array::ByteSource::open(zip_path, "ZippedImageDataset",
                                  options.limits),
          options.limits)),
      options_(options) {
} catch (const std::bad_alloc&) {
  raise_out_of_memory("ZippedImageDataset");
}

int64_t ZippedImageDataset::size() const {
  return static_cast<int64_t>(archive_->members().size());
}

dataset::Example ZippedImageDataset::get_example(int64_t i) const try {
  dataset::check_index("ZippedImageDataset", i, size());
  const array::ZipMember& member = archive_->members()[i];
  const auto stream = archive_->open(member);
  if (stream->remaining() > options_.limits.array_bytes) {
    raise<IoError>(stream->where(), ": expected an image of at most ",
                   options_.limits.array_bytes,
                   " bytes (LoadLimits::array_bytes), got ",
                   stream->remaining());
  }
  std::vector<char> bytes(static_cast<size_t>(stream->remaining()));
  stream->read(bytes);
  return example_of(dataset::decode_image(
                        bytes, str(path_, "/", member.name),
                        {.color = options_.color, .limits = options_.limits}),
                    options_.dtype);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("ZippedImageDataset");
}

MultiZippedImageDataset::MultiZippedImageDataset(
    const std::vector<std::string>& zip_paths,
    const ZippedImageDatasetOptions& options)
    : images_(concatenated(zip_paths, options)) {}

}  // namespace catena::datasets
