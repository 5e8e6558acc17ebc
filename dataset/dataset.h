#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "catena/array/index.h"
#include "catena/dataset/example.h"

namespace catena::dataset {

// The base class of datasets, which define size() and get_example(). Both must
// be thread-safe.
//
//   class Squares : public dataset::DatasetMixin {
//    public:
//     int64_t size() const override { return 100; }
//     Example get_example(int64_t i) const override { return {i, i * i}; }
//   };
class DatasetMixin {
 public:
  virtual ~DatasetMixin() = default;

  virtual int64_t size() const = 0;
  // The example at an index in [0, size()).
  virtual Example get_example(int64_t i) const = 0;
  // The examples at these indices (1-d, int64, each in [0, size())) with their
  // arrays stacked, for datasets that can read them faster than one by one.
  virtual std::optional<Example> gather(const Array& /*indices*/) const {
    return std::nullopt;
  }

  // One example, or those in a slice, or those at some indices. Negative
  // indices count from the end; IndexError outside the dataset.
  Example operator[](std::integral auto index) const {
    return at(static_cast<int64_t>(index));
  }
  std::vector<Example> operator[](const Slice& slice) const;
  std::vector<Example> operator[](std::span<const int64_t> indices) const;

 private:
  Example at(int64_t index) const;
};

template <class D>
concept DatasetType = std::derived_from<std::decay_t<D>, DatasetMixin>;

// A handle to a dataset of any type, used by iterators and dataset views;
// copies share the dataset, as in Python. Converting a dataset to a Dataset
// copies it (which is cheap for datasets made of arrays) or, with std::move,
// moves it; a shared pointer is shared.
class Dataset {
 public:
  template <DatasetType D>
  Dataset(D&& dataset)
      : dataset_(
            std::make_shared<const std::decay_t<D>>(std::forward<D>(dataset))) {
  }
  // ValueError when null.
  template <DatasetType D>
  Dataset(std::shared_ptr<D> dataset) : dataset_(std::move(dataset)) {
    check_not_null();
  }
  // The slices of an array along its first axis. ShapeError for 0-d.
  Dataset(const Array& array);

  int64_t size() const { return dataset_->size(); }
  template <class I>
  auto operator[](const I& index) const {
    return (*dataset_)[index];
  }
  const DatasetMixin& operator*() const { return *dataset_; }
  const DatasetMixin* operator->() const { return dataset_.get(); }

 private:
  void check_not_null() const;

  std::shared_ptr<const DatasetMixin> dataset_;
};

// Types that convert to Dataset: datasets of any type, and arrays.
template <class T>
concept DatasetLike = std::convertible_to<T, Dataset>;

}  // namespace catena::dataset
