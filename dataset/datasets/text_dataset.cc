#include "catena/dataset/datasets/text_dataset.h"

#include <algorithm>
#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/creation.h"

namespace catena::datasets {

TextDataset::TextDataset(const std::vector<std::string>& paths,
                         const TextDatasetOptions& options) try
    : files_(std::make_shared<std::vector<File>>()) {
  if (paths.empty()) {
    raise<ValueError>("TextDataset: expected at least one file, got none");
  }
  for (const std::string& path : paths) {
    files_->push_back(
        {.source = array::ByteSource::open(path, "TextDataset", options.limits),
         .lines = {}});
    find_lines(files_->back());
    const File& first = files_->front();
    const File& last = files_->back();
    if (last.lines.size() != first.lines.size()) {
      raise<IoError>(last.source.where(), ": expected ", first.lines.size(),
                     " lines, as '", paths[0], "' has, got ",
                     last.lines.size());
    }
  }
  if (options.filter) keep_lines(options);
  size_ = static_cast<int64_t>(files_->front().lines.size());
} catch (const std::bad_alloc&) {
  raise_out_of_memory("TextDataset");
}

void TextDataset::find_lines(File& file) {
  std::vector<char> buffer(256 << 10);
  Line line = {.begin = 0, .bytes = 0};
  char before = '\0';
  for (int64_t at = 0; at < file.source.size();) {
    const auto count = std::min<int64_t>(static_cast<int64_t>(buffer.size()),
                                         file.source.size() - at);
    const std::span<char> bytes =
        std::span(buffer).first(static_cast<size_t>(count));
    file.source.read(at, bytes);
    for (const char byte : bytes) {
      ++at;
      if (byte == '\n') {
        line.bytes = at - 1 - line.begin - (before == '\r' ? 1 : 0);
        file.lines.push_back(line);
        line.begin = at;
      }
      before = byte;
    }
  }
  line.bytes = file.source.size() - line.begin - (before == '\r' ? 1 : 0);
  if (line.begin < file.source.size()) file.lines.push_back(line);
}

void TextDataset::keep_lines(const TextDatasetOptions& options) {
  const auto count = static_cast<int64_t>(files_->front().lines.size());
  size_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<std::string> lines;
    for (const File& file : *files_) lines.push_back(read_line(file, i));
    if (!options.filter(lines)) continue;
    for (File& file : *files_) {
      file.lines[kept] = file.lines[static_cast<size_t>(i)];
    }
    ++kept;
  }
  for (File& file : *files_) file.lines.resize(kept);
}

std::string TextDataset::read_line(const File& file, int64_t i) {
  const Line& line = file.lines[static_cast<size_t>(i)];
  std::string text(static_cast<size_t>(line.bytes), '\0');
  file.source.read(line.begin, text);
  return text;
}

dataset::Example TextDataset::get_example(int64_t i) const try {
  dataset::Example::Fields fields;
  for (const std::string& line : lines(i)) {
    fields.push_back(array::copy_from(line.data(),
                                      {static_cast<int64_t>(line.size())},
                                      Dtype::kUInt8, native_device()));
  }
  return dataset::Example(std::move(fields));
} catch (const std::bad_alloc&) {
  raise_out_of_memory("TextDataset");
}

std::vector<std::string> TextDataset::lines(int64_t i) const try {
  if (i < 0 || i >= size_) {
    raise<IndexError>("TextDataset: expected an index into ", size_,
                      " examples, got ", i);
  }
  std::vector<std::string> lines;
  for (const File& file : *files_) lines.push_back(read_line(file, i));
  return lines;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("TextDataset");
}

}  // namespace catena::datasets
