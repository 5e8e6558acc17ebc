#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/array/io/npz.h"
#include "catena/dataset/dataset.h"

// Any dataset as a file, whatever shapes its examples have: what came out of an
// expensive transformation, to be read again without it. Files are .npz
// archives with the key "INDEX/FIELD" for each array; fields without names are
// arr_0, arr_1, .... This is what Chainer's PickleDataset is for, in a format
// that other programs can read and that cannot run code.
namespace catena::datasets {

class NpzDatasetWriter {
 public:
  // The file appears with commit(). IoError.
  explicit NpzDatasetWriter(
      const std::string& path,
      array::NpzCompression compression = array::NpzCompression::kDeflate);

  // Adds an example. ValueError when it has no fields, or not the first one's.
  void write(const dataset::Example& example);
  // Call once, after the last example. IoError.
  void commit() { file_.commit(); }

 private:
  array::NpzWriter file_;
  int64_t size_ = 0;
  std::vector<std::string> fields_;
};

// The examples of such a file, each read when it is asked for; from many
// threads, if need be. A file of more than 100,000 arrays needs a larger
// LoadLimits::members. IoError when the file is damaged, at the latest in the
// example it concerns.
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
