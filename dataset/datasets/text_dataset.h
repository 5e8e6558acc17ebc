#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/array/io/byte_source.h"
#include "catena/array/io/load_limits.h"
#include "catena/dataset/dataset_mixin.h"

namespace catena::datasets {

struct TextDatasetOptions {
  NamedFieldsOnly keywords = {};
  // Whether to keep the example with these lines, one of each file; by default
  // all are kept. Called once for each example, in order.
  std::function<bool(std::span<const std::string> lines)> filter = {};
  LoadLimits limits = {};
};

// The lines of one or several text files that belong together, such as
// sentences and their translations: the i-th example has the i-th line of each
// file, without its LF or CRLF. Lines are read from the files on demand; memory
// holds only their positions, 16 bytes per line.
//
// An example's fields are the bytes of its lines, as 1-d uint8 arrays; lines()
// returns text, for a TransformDataset that converts words to ids.
class TextDataset final : public dataset::DatasetMixin {
 public:
  // Throws ValueError when there are no files; IoError when a file cannot be
  // read or the files have different numbers of lines.
  explicit TextDataset(const std::vector<std::string>& paths,
                       const TextDatasetOptions& options = {});

  int64_t size() const override { return size_; }
  dataset::Example get_example(int64_t i) const override;
  // Throws IndexError unless 0 <= i < size(); IoError when a file cannot be
  // read.
  std::vector<std::string> lines(int64_t i) const;

 private:
  struct Line {
    int64_t begin;
    int64_t bytes;
  };
  struct File {
    array::ByteSource source;
    std::vector<Line> lines;
  };

  static void find_lines(File& file);
  static std::string read_line(const File& file, int64_t i);
  void keep_lines(const TextDatasetOptions& options);

  std::shared_ptr<std::vector<File>> files_;
  int64_t size_ = 0;
};

}  // namespace catena::datasets
