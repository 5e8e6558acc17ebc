#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "catena/dataset/dataset.h"

namespace catena::datasets {

// A dataset whose examples go through a function when they are read:
// augmentation, normalization. Iterators may call it from several threads.
class TransformDataset final : public dataset::DatasetMixin {
 public:
  using Transform = std::function<dataset::Example(const dataset::Example&)>;

  // ValueError without a function.
  TransformDataset(dataset::Dataset dataset, Transform transform);

  int64_t size() const override { return dataset_.size(); }
  dataset::Example get_example(int64_t i) const override {
    return transform_(dataset_->get_example(i));
  }

 private:
  dataset::Dataset dataset_;
  Transform transform_;
};

// Datasets end to end.
class ConcatenatedDataset final : public dataset::DatasetMixin {
 public:
  explicit ConcatenatedDataset(std::vector<dataset::Dataset> datasets);
  template <dataset::DatasetLike... Others>
  explicit ConcatenatedDataset(dataset::Dataset first, Others&&... others)
      : ConcatenatedDataset(std::vector<dataset::Dataset>{
            std::move(first), std::forward<Others>(others)...}) {}

  int64_t size() const override { return size_; }
  dataset::Example get_example(int64_t i) const override;

 private:
  std::vector<dataset::Dataset> datasets_;
  std::vector<int64_t> starts_;
  int64_t size_ = 0;
};

}  // namespace catena::datasets
