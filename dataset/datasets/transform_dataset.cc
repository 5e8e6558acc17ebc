#include "catena/dataset/datasets/transform_dataset.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/dataset/index_check.h"

namespace catena::datasets {

namespace {

template <class Function>
void check_function(const Function& transform) {
  if (transform) return;
  raise<ValueError>("TransformDataset: expected a function, got none");
}

// Far apart from the streams of adjacent seeds.
uint64_t seed_of_example(uint64_t seed, int64_t i) {
  return seed * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(i);
}

}  // namespace

TransformDataset::TransformDataset(dataset::Dataset dataset,
                                   Transform transform)
    : dataset_(std::move(dataset)) {
  check_function(transform);
  transform_ = [transform = std::move(transform)](
                   const dataset::Example& example, int64_t /*i*/) {
    return transform(example);
  };
}

TransformDataset::TransformDataset(dataset::Dataset dataset,
                                   RandomTransform transform, uint64_t seed)
    : dataset_(std::move(dataset)) {
  check_function(transform);
  transform_ = [transform = std::move(transform), seed](
                   const dataset::Example& example, int64_t i) {
    array::random::Generator generator(seed_of_example(seed, i),
                                       native_device());
    return transform(example, generator);
  };
}

ConcatenatedDataset::ConcatenatedDataset(std::vector<dataset::Dataset> datasets)
    : datasets_(std::move(datasets)) {
  for (const dataset::Dataset& dataset : datasets_) {
    starts_.push_back(size_);
    size_ += dataset.size();
  }
}

dataset::Example ConcatenatedDataset::get_example(int64_t i) const {
  dataset::check_index("ConcatenatedDataset", i, size());
  const auto next = std::ranges::upper_bound(starts_, i);
  const auto which = next - starts_.begin() - 1;
  return datasets_[which]->get_example(i - starts_[which]);
}

}  // namespace catena::datasets
