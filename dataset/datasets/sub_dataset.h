#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "catena/dataset/dataset_mixin.h"

namespace catena::datasets {

// A part of a dataset: its examples [start, finish), or with an order (1-d,
// int64, as long as the dataset) those at order[start], order[start + 1], ...
class SubDataset final : public dataset::DatasetMixin {
 public:
  // Throws ValueError unless 0 <= start <= finish <= dataset.size() and the
  // order, if any, has that size; IndexError when it has an index outside the
  // dataset.
  SubDataset(dataset::Dataset dataset, int64_t start, int64_t finish,
             const std::optional<Array>& order = std::nullopt);

  int64_t size() const override { return size_; }
  dataset::Example get_example(int64_t i) const override;
  std::optional<dataset::Example> gather(const Array& indices) const override;

 private:
  dataset::Dataset dataset_;
  int64_t start_;
  int64_t size_;
  Array order_;  // of this part; undefined for 0, 1, 2, ...
};

// For example for training and testing.
using DatasetPair = std::pair<SubDataset, SubDataset>;

// The first `split_at` examples and the rest. Throws ValueError unless 0 <=
// split_at < dataset.size().
DatasetPair split_dataset(const dataset::Dataset& dataset, int64_t split_at,
                          const std::optional<Array>& order = std::nullopt);
// The same after shuffling; without a seed, uses the generator of native:0.
DatasetPair split_dataset_random(const dataset::Dataset& dataset,
                                 int64_t first_size,
                                 std::optional<uint64_t> seed = std::nullopt);

// n parts of equal size; a remainder is dropped. Throws ValueError unless n is
// from 1 to the size of the dataset; an empty one makes one part.
std::vector<SubDataset> split_dataset_n(
    const dataset::Dataset& dataset, int64_t n,
    const std::optional<Array>& order = std::nullopt);
std::vector<SubDataset> split_dataset_n_random(
    const dataset::Dataset& dataset, int64_t n,
    std::optional<uint64_t> seed = std::nullopt);

// For cross validation: n_fold pairs (all but the i-th fold, the i-th fold) of
// folds whose sizes differ by at most one. Throws ValueError unless 1 <= n_fold
// <= dataset.size().
std::vector<DatasetPair> get_cross_validation_datasets(
    const dataset::Dataset& dataset, int64_t n_fold,
    const std::optional<Array>& order = std::nullopt);
std::vector<DatasetPair> get_cross_validation_datasets_random(
    const dataset::Dataset& dataset, int64_t n_fold,
    std::optional<uint64_t> seed = std::nullopt);

}  // namespace catena::datasets
