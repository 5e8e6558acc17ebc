#include "catena/dataset/datasets/transform_dataset.h"

#include <algorithm>

#include "catena/array/error.h"

namespace catena::datasets {

TransformDataset::TransformDataset(dataset::Dataset dataset,
                                   Transform transform)
    : dataset_(std::move(dataset)), transform_(std::move(transform)) {
  if (!transform_) {
    raise<ValueError>("TransformDataset: expected a function, got none");
  }
}

ConcatenatedDataset::ConcatenatedDataset(std::vector<dataset::Dataset> datasets)
    : datasets_(std::move(datasets)) {
  for (const dataset::Dataset& dataset : datasets_) {
    starts_.push_back(size_);
    size_ += dataset.size();
  }
}

dataset::Example ConcatenatedDataset::get_example(int64_t i) const {
  const auto next = std::ranges::upper_bound(starts_, i);
  const auto which = next - starts_.begin() - 1;
  return datasets_[which]->get_example(i - starts_[which]);
}

}  // namespace catena::datasets
