#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/array/io/npz.h"
#include "catena/dataset/dataset_mixin.h"

// Datasets stored in files, with examples of any shapes, for example to cache
// the result of an expensive transformation. Files are .npz archives with the
// key "INDEX/FIELD" for each array; fields without names are arr_0, arr_1, ....
// Replaces Chainer's PickleDataset by a format that other programs can read and
// that cannot run code.
namespace catena::datasets {

// Writes a dataset to a file, one example at a time.
class NpzDatasetWriter {
 public:
  // commit() creates the file. Throws IoError on failure.
  explicit NpzDatasetWriter(
      const std::string& path,
      array::NpzCompression compression = array::NpzCompression::kDeflate);

  // Adds an example. Throws ValueError when it has no fields, or other fields
  // than the first example.
  void write(const dataset::Example& example);
  // Call once, after the last example. Throws IoError on failure.
  void commit() { file_.commit(); }

 private:
  array::NpzWriter file_;
  int64_t size_ = 0;
  std::vector<std::string> fields_;
};

// The examples of a file from NpzDatasetWriter, read on demand. Thread-safe. A
// file of more than 100,000 arrays needs a larger LoadLimits::members. Throws
// IoError when the file is damaged, which may be detected only when the
// affected example is read.
class NpzDataset final : public dataset::DatasetMixin {
 public:
  explicit NpzDataset(const std::string& path, const LoadLimits& limits = {});

  int64_t size() const override { return size_; }
  dataset::Example get_example(int64_t i) const override;

 private:
  std::shared_ptr<const array::NpzReader> file_;
  std::vector<std::string> fields_;
  dataset::Example::Names names_;  // null for fields without names
  int64_t size_ = 0;
};

}  // namespace catena::datasets
