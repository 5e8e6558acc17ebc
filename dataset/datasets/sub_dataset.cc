#include "catena/dataset/datasets/sub_dataset.h"

#include <algorithm>

#include "catena/array/array.h"
#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/take.h"
#include "catena/dataset/index_check.h"

namespace catena::datasets {
namespace {

using dataset::Dataset;
using dataset::Example;

void check_order(const Array& order, int64_t size) {
  if (order.dtype() != Dtype::kInt64 || order.shape() != Shape{size}) {
    raise<ValueError>("SubDataset: expected an order of ", size, " int64, got ",
                      order.dtype(), " of shape ", order.shape());
  }
  const Array contiguous = order.to_device(native_device()).contiguous();
  const int64_t* begin = contiguous.data<int64_t>();
  const auto bad = std::find_if(
      begin, begin + size, [size](int64_t i) { return i < 0 || i >= size; });
  if (bad != begin + size) {
    raise<IndexError>("SubDataset: expected an order of indices of ", size,
                      " examples, got ", *bad);
  }
}

Array random_order(const Dataset& dataset, std::optional<uint64_t> seed) {
  if (!seed) return array::random::permutation(dataset.size(), native_device());
  return array::random::Generator(*seed, native_device())
      .permutation(dataset.size());
}

}  // namespace

SubDataset::SubDataset(Dataset dataset, int64_t start, int64_t finish,
                       const std::optional<Array>& order)
    : dataset_(std::move(dataset)), start_(start), size_(finish - start) {
  if (start < 0 || finish < start || finish > dataset_.size()) {
    raise<ValueError>("SubDataset: expected 0 <= start <= finish <= ",
                      dataset_.size(), ", got ", start, " and ", finish);
  }
  if (!order) return;
  check_order(*order, dataset_.size());
  // A copy, so that the caller cannot change it later.
  order_ = (*order)[{Slice(start, finish)}].copy().to_device(native_device());
}

Example SubDataset::get_example(int64_t i) const {
  dataset::check_index("SubDataset", i, size_);
  return dataset_->get_example(order_.defined() ? order_.data<int64_t>()[i]
                                                : start_ + i);
}

std::optional<Example> SubDataset::gather(const Array& indices) const {
  return dataset_->gather(order_.defined() ? array::take(order_, indices, 0)
                                           : indices + start_);
}

DatasetPair split_dataset(const Dataset& dataset, int64_t split_at,
                          const std::optional<Array>& order) {
  if (split_at < 0 || split_at >= dataset.size()) {
    raise<ValueError>("split_dataset: expected 0 <= split_at < ",
                      dataset.size(), ", got ", split_at);
  }
  return {SubDataset(dataset, 0, split_at, order),
          SubDataset(dataset, split_at, dataset.size(), order)};
}

DatasetPair split_dataset_random(const Dataset& dataset, int64_t first_size,
                                 std::optional<uint64_t> seed) {
  return split_dataset(dataset, first_size, random_order(dataset, seed));
}

std::vector<SubDataset> split_dataset_n(const Dataset& dataset, int64_t n,
                                        const std::optional<Array>& order) {
  const int64_t max = std::max<int64_t>(dataset.size(), 1);
  if (n < 1 || n > max) {
    raise<ValueError>("split_dataset_n: expected 1 <= n <= ", max, ", got ", n);
  }
  const int64_t size = dataset.size() / n;
  std::vector<SubDataset> parts;
  for (int64_t i = 0; i < n; ++i) {
    parts.emplace_back(dataset, i * size, (i + 1) * size, order);
  }
  return parts;
}

std::vector<SubDataset> split_dataset_n_random(const Dataset& dataset,
                                               int64_t n,
                                               std::optional<uint64_t> seed) {
  return split_dataset_n(dataset, n, random_order(dataset, seed));
}

std::vector<DatasetPair> get_cross_validation_datasets(
    const Dataset& dataset, int64_t n_fold, const std::optional<Array>& order) {
  const int64_t size = dataset.size();
  if (n_fold < 1 || n_fold > size) {
    raise<ValueError>("get_cross_validation_datasets: expected 1 <= n_fold <= ",
                      size, ", got ", n_fold);
  }
  const Array all =
      order ? *order : array::arange(size, Dtype::kInt64, native_device());
  check_order(all, size);
  std::vector<DatasetPair> folds;
  for (int64_t i = 0; i < n_fold; ++i) {
    const int64_t begin = size * i / n_fold;
    const int64_t end = size * (i + 1) / n_fold;
    // The fold comes last, so both parts are ranges of the same order.
    const Array rotated =
        array::concatenate({all[{Slice(end, size)}], all[{Slice(end)}]});
    const int64_t rest = size - (end - begin);
    folds.emplace_back(SubDataset(dataset, 0, rest, rotated),
                       SubDataset(dataset, rest, size, rotated));
  }
  return folds;
}

std::vector<DatasetPair> get_cross_validation_datasets_random(
    const Dataset& dataset, int64_t n_fold, std::optional<uint64_t> seed) {
  return get_cross_validation_datasets(dataset, n_fold,
                                       random_order(dataset, seed));
}

}  // namespace catena::datasets
