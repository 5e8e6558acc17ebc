#include "catena/dataset/dataset_mixin.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/take.h"
#include "catena/dataset/index_check.h"

namespace catena::dataset {
namespace {

// The range covered by consecutive indices, as in unshuffled order: a single
// contiguous copy.
std::optional<Slice> as_slice(const Array& indices, int64_t size) {
  if (indices.size() == 0) return std::nullopt;
  const Array contiguous = indices.contiguous();
  const int64_t* index = contiguous.data<int64_t>();
  const int64_t count = contiguous.size();
  const auto breaks = [](int64_t a, int64_t b) { return b != a + 1; };
  if (index[0] < 0 || index[0] > size - count ||
      index[count - 1] - index[0] != count - 1 ||
      std::adjacent_find(index, index + count, breaks) != index + count) {
    return std::nullopt;
  }
  return Slice(index[0], index[0] + count);
}

class ArrayDataset final : public DatasetMixin {
 public:
  explicit ArrayDataset(const Array& array) : array_(array) {
    if (array.ndim() == 0) {
      raise<ShapeError>(
          "Dataset: expected an array with at least one axis "
          "to take examples along, got shape ()");
    }
  }

  int64_t size() const override { return array_.shape()[0]; }
  Example get_example(int64_t i) const override { return {array_[i]}; }
  std::optional<Example> gather(const Array& indices) const override {
    if (const std::optional<Slice> slice = as_slice(indices, size())) {
      return Example{array_[{*slice}].copy()};
    }
    const Array local = indices.to_device(array_.device());
    return Example{array::take(array_, local, 0)};
  }

 private:
  Array array_;
};

class VectorDataset final : public DatasetMixin {
 public:
  explicit VectorDataset(std::vector<Example> examples)
      : examples_(std::move(examples)) {}

  int64_t size() const override {
    return static_cast<int64_t>(examples_.size());
  }
  Example get_example(int64_t i) const override {
    check_index("Dataset", i, size());
    return examples_[i];
  }

 private:
  std::vector<Example> examples_;
};

}  // namespace

Example DatasetMixin::at(int64_t index) const {
  const int64_t length = size();
  const int64_t i = index < 0 ? index + length : index;
  if (i < 0 || i >= length) {
    raise<IndexError>("Dataset: expected an index into ", length,
                      " examples, got ", index);
  }
  return get_example(i);
}

std::vector<Example> DatasetMixin::operator[](const Slice& slice) const {
  const auto positions = array::slice_positions("Dataset", slice, size());
  std::vector<Example> examples;
  examples.reserve(positions.count);
  for (int64_t i = 0; i < positions.count; ++i) {
    examples.push_back(get_example(positions[i]));
  }
  return examples;
}

std::vector<Example> DatasetMixin::operator[](
    std::span<const int64_t> indices) const {
  std::vector<Example> examples;
  examples.reserve(indices.size());
  for (const int64_t index : indices) examples.push_back(at(index));
  return examples;
}

void Dataset::check_not_null() const {
  if (dataset_ == nullptr) {
    raise<ValueError>("Dataset: expected a dataset, got a null pointer");
  }
}

Dataset::Dataset(const Array& array) : Dataset(ArrayDataset(array)) {}

Dataset Dataset::of_examples(std::vector<Example> examples) {
  return VectorDataset(std::move(examples));
}

}  // namespace catena::dataset
