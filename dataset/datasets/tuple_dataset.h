#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catena/dataset/dataset_mixin.h"

namespace catena::datasets {

// Combines datasets of equal length: the i-th example has the fields of the
// i-th example of each.
//
//   const TupleDataset train(images, labels);   // two arrays
class TupleDataset final : public dataset::DatasetMixin {
 public:
  // Arrays or datasets. Throws ValueError when there are none or their lengths
  // differ.
  explicit TupleDataset(std::vector<dataset::Dataset> datasets);
  template <dataset::DatasetLike... Others>
  explicit TupleDataset(dataset::Dataset first, Others&&... others)
      : TupleDataset(std::vector<dataset::Dataset>{
            std::move(first), std::forward<Others>(others)...}) {}

  int64_t size() const override { return datasets_[0].size(); }
  dataset::Example get_example(int64_t i) const override;
  std::optional<dataset::Example> gather(const Array& indices) const override;

 private:
  std::vector<dataset::Dataset> datasets_;
};

// A TupleDataset with a name for each field:
//   DictDataset({{"x", images}, {"t", labels}})
class DictDataset final : public dataset::DatasetMixin {
 public:
  // Each dataset has one field. Throws ValueError when there are no datasets,
  // their lengths differ or a name is used twice.
  explicit DictDataset(
      const std::vector<std::pair<std::string, dataset::Dataset>>& datasets);

  int64_t size() const override { return tuple_.size(); }
  dataset::Example get_example(int64_t i) const override;
  std::optional<dataset::Example> gather(const Array& indices) const override;

 private:
  TupleDataset tuple_;
  dataset::Example::Names names_;
};

}  // namespace catena::datasets
