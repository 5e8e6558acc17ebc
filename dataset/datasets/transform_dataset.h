#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "catena/array/random/random.h"
#include "catena/dataset/dataset_mixin.h"

namespace catena::datasets {

// Applies a function to the examples of a dataset when they are read, such as
// augmentation or normalization. Iterators may call it from several threads.
class TransformDataset final : public dataset::DatasetMixin {
 public:
  using Transform = std::function<dataset::Example(const dataset::Example&)>;

  // For augmentation: draws random numbers from the generator, which creates
  // arrays on the host.
  using RandomTransform = std::function<dataset::Example(
      const dataset::Example&, array::random::Generator&)>;

  // Throws ValueError when there is no function.
  TransformDataset(dataset::Dataset dataset, Transform transform);
  // The generator is reseeded for each example from the seed and the index, so
  // an example is always transformed in the same way, whatever the reading
  // order and threads. Concatenate datasets with different seeds to get several
  // variants of each example.
  TransformDataset(dataset::Dataset dataset, RandomTransform transform,
                   uint64_t seed);

  int64_t size() const override { return dataset_.size(); }
  dataset::Example get_example(int64_t i) const override {
    return transform_(dataset_->get_example(i), i);
  }

 private:
  dataset::Dataset dataset_;
  std::function<dataset::Example(const dataset::Example&, int64_t i)>
      transform_;
};

// Concatenates datasets.
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
